" SPDX-License-Identifier: GPL-2.0-or-later
" Scripts of SystemTap and ustap: lines in braces are one step deeper than the line of the brace,
" and so is the statement after if (...), else and loops; lines in parentheses are aligned with the
" first character after the parenthesis.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal autoindent nocindent nolisp
setlocal indentexpr=GetSystemtapIndent(v:lnum)
setlocal indentkeys=0{,0},0),0],!^F,o,O,e
let b:undo_indent = 'setlocal autoindent< cindent< lisp< indentexpr< indentkeys<'

if exists('*GetSystemtapIndent')
  finish
endif

let s:skip = 'synIDattr(synID(line("."), col("."), 0), "name")'
let s:skip .= ' =~# "Comment\\|String\\|Format\\|Escape\\|Embedded"'

" Position of the innermost open bracket at the start of line LNUM.
function! s:Open(lnum)
  let l:best = [0, 0]
  for [l:open, l:close] in [['{', '}'], ['(', ')'], ['\[', '\]']]
    call cursor(a:lnum, 1)
    let l:at = searchpairpos(l:open, '', l:close, 'bnW', s:skip, max([1, a:lnum - 1000]))
    if l:at[0] > l:best[0] || (l:at[0] == l:best[0] && l:at[1] > l:best[1])
      let l:best = l:at
    endif
  endfor
  return l:best
endfunction

" Line LNUM without comments and contents of strings.
function! s:Code(lnum)
  let l:text = substitute(getline(a:lnum), '"\%(\\.\|[^"\\]\)*"', '""', 'g')
  return substitute(l:text, '\s*\%([$@]\@<!#\|//\).*$\|/\*.\{-}\*/', '', 'g')
endfunction

function! s:CodeBefore(lnum)
  let l:prev = prevnonblank(a:lnum - 1)
  while l:prev > 0 && s:Code(l:prev) =~# '^\s*$'
    let l:prev = prevnonblank(l:prev - 1)
  endwhile
  return l:prev
endfunction

function! s:Inside(lnum, at)
  let l:step = shiftwidth()
  if getline(a:lnum) =~# '^\s*[})\]]'
    return s:OuterIndent(a:at)
  endif
  if getline(a:at[0])[a:at[1] - 1] !=# '{' && strpart(getline(a:at[0]), a:at[1]) =~# '\S'
    return virtcol(a:at)
  endif
  let l:prev = s:CodeBefore(a:lnum)
  let l:code = s:Code(l:prev)
  if getline(a:at[0])[a:at[1] - 1] ==# '{' && l:prev > a:at[0] && getline(a:lnum) !~# '^\s*{' &&
        \ l:code =~# '^\s*\%(}\s*\)\=\%(else\s*\)\=\%(\%(if\|while\|for\|foreach\)\>.*)\|else\)\s*$'
    return indent(l:prev) + l:step
  endif
  return s:OuterIndent(a:at) + l:step
endfunction

" The indentation of the declaration or statement with the bracket AT.
function! s:OuterIndent(at)
  return s:Open(a:at[0]) == [0, 0] && getline(a:at[0])[a:at[1] - 1] ==# '{' ? 0 : indent(a:at[0])
endfunction

function! GetSystemtapIndent(lnum)
  call cursor(a:lnum, 1)
  if searchpair('%{', '', '%}', 'bnW', '', max([1, a:lnum - 1000])) > 0
    return -1                           " C
  endif
  let l:at = s:Open(a:lnum)
  if l:at != [0, 0]
    return s:Inside(a:lnum, l:at)
  endif
  let l:prev = s:CodeBefore(a:lnum)
  return l:prev && s:Code(l:prev) =~# ',\s*$' ? shiftwidth() : 0
endfunction
