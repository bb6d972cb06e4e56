;;; ustap-mode.el --- SystemTap scripts, for ustap  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: GPL-2.0-or-later
;; Package-Requires: ((emacs "26.1"))
;; Keywords: languages

;;; Commentary:

;; A mode for scripts of SystemTap and ustap (*.stp) and their macros (*.stpm): colours,
;; indentation, an index of probes and functions, `compile' to check a script, and, with Eglot, the
;; language server of ustap: M-x eglot.

;;; Code:

(defgroup ustap nil
  "SystemTap scripts."
  :group 'languages)

(defcustom ustap-indent-offset 8
  "Columns of one step of indentation."
  :type 'integer
  :safe #'integerp)

(defconst ustap-mode--keywords
  '("probe" "global" "function" "private" "if" "else" "while" "for" "foreach" "in" "limit" "break"
    "continue" "next" "return" "delete" "try" "catch"))

(defconst ustap-mode--prints
  '("print" "println" "printd" "printdln" "printf" "sprint" "sprintln" "sprintd"
    "sprintdln" "sprintf"))

(defconst ustap-mode--operators
  '("@count" "@sum" "@min" "@max" "@avg" "@variance" "@percentile" "@median"
    "@hist_log" "@hist_linear" "@defined" "@probewrite" "@entry" "@var"
    "@cast" "@enum" "@const" "@perf" "@uderef" "@kderef" "@uregister" "@kregister" "@define"))

(defvar ustap-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?$ "_" table)
    (modify-syntax-entry ?@ "_" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23b" table)
    (dolist (char '(?+ ?- ?% ?& ?| ?^ ?! ?~ ?< ?> ?= ?? ?: ?. ?, ?\;))
      (modify-syntax-entry char "." table))
    table))

;; // starts a comment too, and # after $ or @ does not: $# is the number of arguments.
(defconst ustap-mode--propertize
  (syntax-propertize-rules
   ("[$@]\\(#\\)" (1 "_"))
   ("\\(/\\)/" (1 (unless (nth 8 (save-excursion (syntax-ppss (match-beginning 0))))
                    (string-to-syntax "<"))))))

(defconst ustap-mode--font-lock
  `((,(concat "\\_<" (regexp-opt ustap-mode--keywords) "\\_>") . font-lock-keyword-face)
    (,(concat "\\_<" (regexp-opt ustap-mode--operators) "\\_>") . font-lock-builtin-face)
    (,(concat "\\_<" (regexp-opt ustap-mode--prints) "\\_>") . font-lock-builtin-face)
    ("\\_<function\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    ("\\_<@define\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1 font-lock-function-name-face)
    ("[$@][0-9#]+" . font-lock-constant-face)
    ("\\$+[A-Za-z_][A-Za-z0-9_$]*" . font-lock-variable-name-face)
    ("@[A-Za-z_][A-Za-z0-9_]*" . font-lock-preprocessor-face)
    (":\\s-*\\(long\\|string\\|stat\\)\\_>" 1 font-lock-type-face)
    ("%[(?:){}]" . font-lock-preprocessor-face)))

;;; Indentation: lines in braces are one step deeper than the line of the brace, and so is the
;;; statement after if (...), else and loops; lines in parentheses are aligned with the first
;;; character after the parenthesis.

(defun ustap-mode--outer-indent (bracket)
  "The column of the statement or declaration that BRACKET is a part of."
  (save-excursion
    (goto-char bracket)
    (if (and (eq (char-after) ?{) (= (car (syntax-ppss)) 0))
        0
      (back-to-indentation)
      (current-column))))

(defun ustap-mode--after-control (from)
  "The column of the line of code before point if a control's head ends it.
Nil if that line is before FROM."
  (save-excursion
    (forward-comment (- (point)))
    (let ((end (point)))
      (when (> end from)
        (back-to-indentation)
        (when (and (>= (point) from)
                   (looking-at (concat "\\(?:}\\s-*\\)?\\(?:else\\s-+\\)?\\(?:"
                                       "\\(?:if\\|while\\|for\\|foreach\\)\\_>\\|else\\_>\\)"))
                   (save-excursion
                     (goto-char (match-end 0))
                     (skip-chars-forward " \t")
                     (if (eq (char-after) ?\()
                         (ignore-errors (forward-sexp) (>= (point) end))
                       (>= (point) end))))
          (current-column))))))

(defun ustap-mode--in-c ()
  "Whether point is between %{ and %}."
  (save-excursion
    (and (re-search-backward "%[{}]" nil t) (eq (char-after (1+ (point))) ?{))))

(defun ustap-mode--column ()
  "Where the line at point is to begin."
  (save-excursion
    (back-to-indentation)
    (let* ((bracket (nth 1 (syntax-ppss)))
           (brace (and bracket (eq (char-after bracket) ?{)))
           (control (and brace (not (looking-at "[{}]")) (ustap-mode--after-control (1+ bracket)))))
      (cond
       ((or (nth 3 (syntax-ppss)) (ustap-mode--in-c)) nil)
       ((not bracket)
        (forward-comment (- (point)))
        (if (eq (char-before) ?,) ustap-indent-offset 0))
       ((looking-at "[])}]") (ustap-mode--outer-indent bracket))
       ((and (not brace) (save-excursion (goto-char (1+ bracket)) (looking-at "[ \t]*[^ \t\n]")))
        (save-excursion (goto-char (1+ bracket)) (current-column)))
       (control (+ control ustap-indent-offset))
       (t (+ (ustap-mode--outer-indent bracket) ustap-indent-offset))))))

(defun ustap-mode-indent-line ()
  "Indent the line at point."
  (interactive)
  (let ((column (ustap-mode--column))
        (back (- (point-max) (point))))
    (when column
      (indent-line-to column)
      (when (> (- (point-max) back) (point))
        (goto-char (- (point-max) back))))))

;;; The mode

;;;###autoload
(define-derived-mode ustap-mode prog-mode "SystemTap"
  "A mode for scripts of SystemTap and ustap."
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "\\(?:#+\\|//+\\|/\\*+\\)\\s-*")
  (setq-local syntax-propertize-function ustap-mode--propertize)
  (setq-local font-lock-defaults '(ustap-mode--font-lock))
  (setq-local indent-line-function #'ustap-mode-indent-line)
  (setq-local indent-tabs-mode t)
  (setq-local imenu-generic-expression
              '(("Probe" "^\\s-*probe\\s-+\\([^{\n]*[^{ \n]\\)" 1)
                ("Function" "^\\s-*\\(?:private\\s-+\\)?function\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1)
                ("Macro" "^\\s-*@define\\s-+\\(\\(?:\\sw\\|\\s_\\)+\\)" 1)))
  (when buffer-file-name
    (setq-local compile-command
                (concat "ustap -p2 --color=never " (shell-quote-argument buffer-file-name)))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.stpm?\\'" . ustap-mode))
;;;###autoload
(add-to-list 'interpreter-mode-alist '("u?stap" . ustap-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(ustap-mode . ("ustap" "--language-server"))))

(provide 'ustap-mode)
;;; ustap-mode.el ends here
