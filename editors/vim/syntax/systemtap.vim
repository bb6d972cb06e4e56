" SPDX-License-Identifier: GPL-2.0-or-later
" Scripts of SystemTap and ustap.
if exists('b:current_syntax')
  finish
endif

let s:cpo_save = &cpo
set cpo&vim

syn include @systemtapC syntax/c.vim
unlet! b:current_syntax

syn match systemtapNumber '\<0x\x\+\>\|\<\d\+\>'
syn match systemtapCall '\<\h\w*\ze\s*('
syn match systemtapPreproc '%(\|%?\|%:\|%)'

syn keyword systemtapDeclare global function private
syn keyword systemtapConditional if else try catch
syn keyword systemtapRepeat while for foreach in limit
syn keyword systemtapStatement break continue next return delete
syn keyword systemtapType long string stat
syn keyword systemtapPrint print println printd printdln printf
syn keyword systemtapPrint sprint sprintln sprintd sprintdln sprintf

syn match systemtapMacro '@\h\w*'
syn match systemtapDeclare '@define\>'
syn match systemtapOperator '@\%(count\|sum\|min\|max\|avg\|variance\|hist_log\|hist_linear\)\>'
syn match systemtapOperator '@\%(percentile\|median\)\>'
syn match systemtapOperator '@\%(defined\|probewrite\|entry\|var\|cast\|enum\|const\|perf\)\>'
syn match systemtapOperator '@\%([uk]deref\|[uk]register\)\>'

syn match systemtapTarget '\$\+\h[A-Za-z0-9_$]*'
syn match systemtapArgument '[$@]\%(\d\+\|#\)'

" The probe points of a probe, from the keyword to its body.
syn region systemtapHead matchgroup=systemtapDeclare start='\<probe\>'
  \ end='\ze{\|\%([.,{]\s*\)\@<!\ze\<\%(probe\|function\|global\)\>'
  \ contains=systemtapString,systemtapComment,systemtapArgument,systemtapNumber,systemtapWord,
  \systemtapConditional,systemtapMacro,systemtapOperator,systemtapPreproc
syn match systemtapWord '[A-Za-z_*][A-Za-z0-9_*]*' contained
syn match systemtapWord '\.\@<=\%(probe\|function\|global\)\>' contained

syn match systemtapEscape '\\\%(\o\{1,3}\|x\x\{1,2}\|.\)' contained
syn match systemtapFormat
  \ '%[-+ #0]*\%(\d\+\|\*\)\=\%(\.\%(\d\+\|\*\)\)\=\%([1248]\=[bmM]\|[diuoxXpscn%]\)' contained
syn region systemtapString start='"' skip='\\.' end='"\|$'
  \ contains=systemtapEscape,systemtapFormat,@Spell

syn keyword systemtapTodo TODO FIXME XXX contained
syn match systemtapComment '#.*$' contains=systemtapTodo,@Spell
syn match systemtapComment '//.*$' contains=systemtapTodo,@Spell
syn region systemtapComment start='/\*' end='\*/' contains=systemtapTodo,@Spell
syn match systemtapArgument '[$@]#'
syn region systemtapEmbedded matchgroup=systemtapPreproc start='%{' end='%}'
  \ contains=@systemtapC keepend

syn sync minlines=200

hi def link systemtapArgument Special
hi def link systemtapCall Function
hi def link systemtapComment Comment
hi def link systemtapConditional Conditional
hi def link systemtapDeclare Keyword
hi def link systemtapEscape SpecialChar
hi def link systemtapFormat SpecialChar
hi def link systemtapMacro Macro
hi def link systemtapNumber Number
hi def link systemtapOperator Operator
hi def link systemtapPreproc PreProc
hi def link systemtapPrint Function
hi def link systemtapRepeat Repeat
hi def link systemtapStatement Statement
hi def link systemtapString String
hi def link systemtapTarget Identifier
hi def link systemtapTodo Todo
hi def link systemtapType Type
hi def link systemtapWord PreProc

let b:current_syntax = 'systemtap'

let &cpo = s:cpo_save
unlet s:cpo_save
