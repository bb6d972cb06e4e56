" SPDX-License-Identifier: GPL-2.0-or-later
" Scripts of SystemTap and ustap. Vim itself detects *.stp as stored procedures of a database; this
" overrides it unless the file looks like SQL.

let s:cpo_save = &cpo
set cpo&vim

function! s:Detect()
  if did_filetype() && &filetype !=# 'stp' && &filetype !=# ''
    return
  endif
  for l:line in getline(1, 200)
    if l:line =~? '^\s*\(create\|alter\|drop\)\s\+\(proc\|procedure\|table\|view\)\>'
      return
    endif
  endfor
  set filetype=systemtap
endfunction

autocmd BufNewFile,BufRead *.stp call s:Detect()
autocmd BufNewFile,BufRead *.stpm set filetype=systemtap
autocmd BufNewFile,BufRead *
  \ if getline(1) =~# '^#!.*\<\(ustap\|stap\)\>' | set filetype=systemtap | endif

let &cpo = s:cpo_save
unlet s:cpo_save
