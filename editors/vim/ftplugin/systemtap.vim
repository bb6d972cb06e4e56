" SPDX-License-Identifier: GPL-2.0-or-later
" Scripts of SystemTap and ustap: comments, words, and :make to check them.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal comments=s1:/*,mb:*,ex:*/,:#,://
setlocal commentstring=#\ %s
setlocal formatoptions-=t formatoptions+=croql
setlocal define=^\\s*\\(@define\\\|\\(private\\s\\+\\)\\=function\\)
setlocal suffixesadd=.stp,.stpm

" FILE:LINE:COLUMN: error: TEXT [TAG]; the lines below show the location
setlocal makeprg=ustap\ -p2\ --color=never\ %:S\ >/dev/null
setlocal errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%-G%.%#

let b:undo_ftplugin = 'setlocal comments< commentstring< formatoptions< define< suffixesadd<'
let b:undo_ftplugin .= ' makeprg< errorformat<'
