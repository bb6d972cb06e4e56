/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gram: tokens to struct script.
 *
 * Statements need no terminator: `a = 1 b = 2` is two.  So wherever an
 * expression could end, a token that could also go on with it does so; the
 * precedences from BELOW upwards say that, and leave no conflicts.
 *
 * A syntax error skips to the next declaration; the errors of all
 * declarations are reported.
 */
%define api.pure full
%define api.prefix {ustap_yy}
%define api.location.type {struct loc}
%define parse.error custom
%expect 0
%param {void *scanner}
%parse-param {struct parser *p}

%code requires {
#include "parse/parse.h"
#include "parse/summary_decl.h"
}

%code {
#include <string.h>

/* A bound on nesting, so that no pass runs out of stack. */
#define YYMAXDEPTH 6000
#define MAX_ARGS 1000           /* of a print function or call */

#define YYLLOC_DEFAULT(cur, rhs, n)                                            \
	((cur) = (n) ? loc_join(YYRHSLOC(rhs, 1), YYRHSLOC(rhs, n)) \
		     : (struct loc){YYRHSLOC(rhs, 0).src, YYRHSLOC(rhs, 0).end, \
				    YYRHSLOC(rhs, 0).end})

int ustap_yylex(YYSTYPE *val, struct loc *loc, void *scanner);
static void ustap_yyerror(struct loc *loc, void *scanner, struct parser *p, const char *msg);
}

%union {
	int64_t num;
	unsigned count;
	int sign;
	const char *name;
	struct lexstr str;
	struct node *node;
	struct nlist list;
	struct target_comp comp;
	struct symbol *sym;
	struct func *func;
	point_vec *points;
	struct point_comp pcomp;
	struct key_list keys;
	struct num_list nums;
	enum type type;
	struct { int64_t max; bool wrap; } shape;
	struct { enum statop op; int dir; int64_t percent; } statop_sort;
}

%token <num> NUM "number" DECIMAL "number with decimals"
%token <str> STR "string" EMBEDDED "embedded C"
%token <name> IDENT "name" TARGET "target variable"
%token <count> PRETTY "'$'" PRINT "print function" STATOP "statistic operator" HISTOP "histogram"
	DEFINED "@defined" PROBEWRITE "@probewrite"
%token ENTRY "@entry" PERF "@perf" PERCENTILE "@percentile" MEDIAN "@median"
%token <count> DEREF "@uderef" REGISTER "@uregister"
%token ATVAR "@var" CAST "@cast"
%token <count> CONSTANT "@const"
%token SUMMARY "'summary'" PROBE "'probe'" GLOBAL "'global'" FUNCTION "'function'"
	PRIVATE "'private'"
%token IF "'if'" ELSE "'else'" WHILE "'while'" FOR "'for'" FOREACH "'foreach'" IN "'in'"
	LIMIT "'limit'"
%token BREAK "'break'" CONTINUE "'continue'" NEXT "'next'" RETURN "'return'" DELETE "'delete'"
%token TRY "'try'" CATCH "'catch'"
%token STATADD "'<<<'" ADDEQ "'+='" SUBEQ "'-='" MULEQ "'*='" DIVEQ "'/='" MODEQ "'%='"
	SHLEQ "'<<='" SHREQ "'>>='"
%token ANDEQ "'&='" OREQ "'|='" XOREQ "'^='" CATEQ "'.='"
%token INC "'++'" DEC "'--'" ARROW "'->'" SHL "'<<'" SHR "'>>'" USHR "'>>>'"
%token LAND "'&&'" LOR "'||'" EQ "'=='"
	NE "'!='" MATCH "'=~'" NOMATCH "'!~'" LE "'<='" GE "'>='"

%precedence BELOW               /* an expression that is a whole statement */
%precedence ')'                 /* (x) may go on to be assigned to */
%precedence ELSE
%precedence ';'
%right '=' STATADD ADDEQ SUBEQ MULEQ DIVEQ MODEQ SHLEQ SHREQ ANDEQ OREQ XOREQ CATEQ
%right '?' ':'
%left LOR
%left LAND
%left '|'
%left '^'
%left '&'
%precedence IN
%left EQ NE '<' '>' LE GE MATCH NOMATCH
%left SHL SHR USHR
%left '.'
%left '+' '-'
%left '*' '/' '%'
%right UNARY '!' '~'
%precedence NUM STR EMBEDDED IDENT TARGET PRINT STATOP HISTOP PERCENTILE MEDIAN DEFINED PROBEWRITE
	ENTRY PERF ATVAR CAST CONSTANT DEREF REGISTER
%precedence INC DEC
%precedence ']'
%precedence '[' '(' ARROW

%type <node> statement block epilogue simple optional_expr expr lvalue target optional_catch_var
	optional_limit
%type <node> key array_ref literal global_init
%type <num> array_size percent optional_percentiles
%type <shape> shape
%type <str> strings optional_module
%type <list> statements arguments expr_list keys patterns
%type <comp> target_comp target_member
%type <pcomp> point_comp
%type <points> points point point_path point_part alias_names
%type <num> alias_op mark priority
%type <func> function_head
%type <sym> global param
%type <type> optional_type
%type <sign> sort sort_sign
%type <keys> each_keys each_tuple
%type <node> each_array hist
%type <nums> numbers
%type <num> signed_number
%type <statop_sort> statop_sort

%%

script:
	%empty
	| script declaration
	| script error
	;

declaration:
	global_word globals optional_semi
	| function_word function_head '(' params ')' priority block {
		$2->priority = $6;
		$2->body = $7;
		vec_push(&p->script->funcs, $2);
	}
	| function_word function_head '(' params ')' priority EMBEDDED {
		$2->priority = $6;
		embedded_function(p, $2, &$7, @7);
	}
	| EMBEDDED { vec_push(&p->script->embedded, embedded(p->s, &$1, @1)); }
	| probe_word points block { vec_push(&p->script->probes, probe_decl_new(p, $2, $3, @1)); }
	| summary_word patterns block { summary_new(p->script, $2.first, $3, @$); }
	| probe_word alias_names points block epilogue {
		for (size_t i = 0; i < $2->n; i++)
			if (!alias_new(p->script, $2, i, $3, $4, $5))
				YYERROR;
	}
	;

/* Where the parser recovers: from here on errors are reported again. */
global_word:
	GLOBAL { yyerrok; p->failing = p->is_private = false; }
	| PRIVATE { yyerrok; p->failing = false; p->is_private = true; }
	| PRIVATE GLOBAL { yyerrok; p->failing = false; p->is_private = true; }
	;
function_word:
	FUNCTION { yyerrok; p->failing = p->is_private = false; }
	| PRIVATE FUNCTION { yyerrok; p->failing = false; p->is_private = true; }
	;
probe_word: PROBE { yyerrok; p->failing = false; } ;
summary_word: SUMMARY { yyerrok; p->failing = false; } ;

/* Names of the types that a summary describes. */
patterns:
	literal { $$ = nlist_of($1); }
	| patterns ',' literal { $$ = nlist_add($1, $3); }
	;

optional_semi: %empty %prec BELOW | ';' ;

/* ---------------------------------------------------------- globals */

globals: global | globals ',' global ;

global:
	IDENT optional_type shape optional_percentiles global_init {
		$$ = symbol_new($1, SYM_GLOBAL, @1);
		declare_type($$, $2, @1);
		$$->maxsize = $3.max;
		$$->wrap = $3.wrap;
		if ($4)
			declare_percentiles($$, @4);
		$$->init = $5;
		$$->is_private = p->is_private;
		vec_push(&p->script->globals, $$);
	}
	;

shape:
	%empty { $$.max = 0, $$.wrap = false; }
	| array_size { $$.max = $1, $$.wrap = false; }
	| '%' { $$.max = 0, $$.wrap = true; }
	| array_size '%' {
		diag_error(E_SYNTAX, @2, "the %% of a wrapping array comes before its size");
		$$.max = $1, $$.wrap = true;
	}
	| '%' array_size { $$.max = $2, $$.wrap = true; }
	;

optional_percentiles: %empty { $$ = 0; } | PERCENTILE { $$ = 1; } ;

array_size:
	'[' NUM ']' {
		if ($2 <= 0) {
			diag_error(E_LIMIT, @2, "an array has at least one element");
			$2 = 1;
		}
		$$ = $2;
	}
	;

global_init:
	%empty { $$ = NULL; }
	| '=' literal { $$ = $2; }
	;

literal:
	NUM { $$ = node_new(N_NUM, @$); $$->num = $1; }
	| '-' NUM { $$ = node_new(N_NUM, @$); $$->num = (int64_t)(0 - (uint64_t)$2); }
	| strings {
		$$ = node_new(N_STR, @$);
		$$->str.s = $1.s;
		$$->str.len = $1.len;
	}
	;

/* Adjacent literals join. */
strings:
	STR { $$ = $1; }
	| strings STR { $$ = lexstr_join($1, $2); }
	;

/* -------------------------------------------------------- functions */

function_head: IDENT optional_type { $$ = func_new(p, $1, $2, @1); } ;

optional_type: %empty { $$ = T_UNKNOWN; } | ':' IDENT { $$ = type_named($2, @2); } ;

/* In which order functions of one name are tried. */
priority:
	%empty { $$ = 1; }
	| ':' literal {
		$$ = $2->kind == N_NUM ? $2->num : 0;
		if ($$ <= 0) {
			diag_error(E_SYNTAX, @2, "the priority of a function must be positive");
			YYERROR;
		}
	}
	;

params: %empty | param_list ;

param_list: param_item | param_list ',' param_item ;

param_item: param { vec_push(&p->func->params, $1); $1->param = (int)p->func->params.n - 1; } ;

param: IDENT optional_type { $$ = symbol_new($1, SYM_PARAM, @1); declare_type($$, $2, @$); } ;

/* ----------------------------------------------------- probe points */

alias_names:
	point_path alias_op { $$ = points_named($1, $2, @1); if (!$$) YYERROR; }
	| alias_names point_path alias_op {
		$$ = points_named($2, $3, @2);
		if (!$$)
			YYERROR;
		$$ = points_append($1, $$);
	}
	;

alias_op: '=' { $$ = 0; } | ADDEQ { $$ = 1; } ;

/* The second body of an alias. */
epilogue: %empty { $$ = NULL; } | ',' block { $$ = $2; } ;

points:
	point
	| points ',' point { $$ = points_append($1, $3); }
	;

point:
	point_path
	| point_path IF '(' expr ')' { $$ = points_mark($1, 0, $4); }
	| point_path mark { $$ = points_mark($1, $2, NULL); }
	| point_path mark IF '(' expr ')' { $$ = points_mark($1, $2, $5); }
	;

mark: '?' { $$ = '?'; } | '!' { $$ = '!'; } ;

point_path:
	point_part { points_locate($1, @$); $$ = $1; }
	| point_path '.' point_part {
		$$ = points_cross($1, $3, @$);
		if (!$$)
			YYERROR;
	}
	;

point_part:
	point_comp { $$ = points_one($1); }
	| '{' points '}' { $$ = $2; }
	;

point_comp:
	IDENT { $$ = (struct point_comp){$1, NULL, @$}; }
	| IDENT '(' literal ')' { $$ = (struct point_comp){$1, $3, @$}; }
	;

/* ------------------------------------------------------- statements */

block: '{' statements '}' { $$ = node_new(N_BLOCK, @$); $$->block.body = $2.first; } ;

statements:
	%empty { $$ = (struct nlist){0}; }
	| statements statement { $$ = $2->kind == N_NULL ? $1 : nlist_add($1, $2); }
	;

statement:
	block
	| simple optional_semi
	| ';' { $$ = node_new(N_NULL, @$); }
	| IF '(' expr ')' statement %prec BELOW {
		$$ = node_new(N_IF, @$);
		$$->cond.c = $3, $$->cond.t = $5;
	}
	| IF '(' expr ')' statement ELSE statement {
		$$ = node_new(N_IF, @$);
		$$->cond.c = $3, $$->cond.t = $5, $$->cond.f = $7;
	}
	| WHILE '(' expr ')' statement {
		$$ = node_new(N_WHILE, @$);
		$$->loop.cond = $3, $$->loop.body = $5;
	}
	| FOR '(' optional_expr ';' optional_expr ';' optional_expr ')' statement {
		$$ = node_new(N_FOR, @$);
		$$->loop.init = $3, $$->loop.cond = $5, $$->loop.step = $7, $$->loop.body = $9;
	}
	| FOREACH '(' each_keys IN each_array optional_limit ')' statement {
		$5->each.limit = $6, $5->each.body = $8;
		$$ = foreach_node($5, NULL, 0, &$3, @3, @$);
		if (!$$)
			YYERROR;
	}
	| FOREACH '(' IDENT sort '=' each_keys IN each_array optional_limit ')' statement {
		struct node *value = node_new(N_VAR, @3);

		value->var.name = $3;
		$8->each.limit = $9, $8->each.body = $11;
		$$ = foreach_node($8, value, $4, &$6, @6, @$);
		if (!$$)
			YYERROR;
	}
	| TRY block CATCH optional_catch_var block {
		$$ = node_new(N_TRY, @$);
		$$->try_.body = $2, $$->try_.var = $4, $$->try_.handler = $5;
	}
	;

simple:
	expr %prec BELOW { $$ = node_new(N_EXPR, @$); $$->expr.e = $1; }
	| BREAK { $$ = node_new(N_BREAK, @$); }
	| CONTINUE { $$ = node_new(N_CONTINUE, @$); }
	| NEXT { $$ = node_new(N_NEXT, @$); }
	| RETURN %prec BELOW {
		/* where a value may follow on the next line, its absence is to be seen */
		if (yychar != ';' && yychar != '}')
			diag_error(E_SYNTAX, @1, "\"return\" without a value needs a ';' here");
		$$ = node_new(N_RETURN, @$);
	}
	| RETURN expr %prec BELOW { $$ = node_new(N_RETURN, @$); $$->expr.e = $2; }
	| DELETE lvalue { $$ = node_new(N_DELETE, @$); $$->expr.e = $2; }
	;

optional_expr: %empty { $$ = NULL; } | expr ;

optional_limit: %empty { $$ = NULL; } | LIMIT expr { $$ = $2; } ;

optional_catch_var:
	%empty { $$ = NULL; }
	| '(' IDENT ')' { $$ = node_new(N_VAR, @2); $$->var.name = $2; }
	;

sort: %empty { $$ = 0; } | '+' { $$ = 1; } | '-' { $$ = -1; } ;

each_keys:
	IDENT sort {
		struct node *n = node_new(N_VAR, @1);

		n->var.name = $1;
		$$.list = nlist_of(n);
		memset($$.dirs, 0, sizeof $$.dirs);
		$$.dirs[0] = $2;
	}
	| '[' each_tuple ']' { $$ = $2; }
	;

each_tuple:
	IDENT sort {
		struct node *n = node_new(N_VAR, @1);

		n->var.name = $1;
		$$.list = nlist_of(n);
		memset($$.dirs, 0, sizeof $$.dirs);
		$$.dirs[0] = $2;
	}
	| each_tuple ',' IDENT sort {
		struct node *n = node_new(N_VAR, @3);

		n->var.name = $3;
		$$ = $1;
		$$.list = nlist_add($$.list, n);
		if ($$.list.n > MAX_KEYS) {
			diag_error(E_LIMIT, @3, "an array has at most %d keys", MAX_KEYS);
			YYERROR;
		}
		$$.dirs[$$.list.n - 1] = $4;
	}
	;

each_array:
	IDENT statop_sort {
		$$ = node_new(N_FOREACH, @1);
		$$->each.array = $1;
		$$->each.sort_op = $2.op;
		$$->each.percent = $2.percent;
		if (!set_key_sort($$, 0, $2.dir, @2))
			YYERROR;
	}
	| IDENT '[' keys ']' statop_sort {
		$$ = node_new(N_FOREACH, @1);
		$$->each.array = $1;
		$$->each.slice = $3.first;
		$$->each.sort_op = $5.op;
		$$->each.percent = $5.percent;
		if (!set_key_sort($$, 0, $5.dir, @5))
			YYERROR;
	}
	| hist statop_sort {
		$$ = node_new(N_FOREACH, @1);
		$$->each.hist = $1;
		if (!set_key_sort($$, 0, $2.dir, @2))
			YYERROR;
	}
	;

statop_sort:
	sort { $$.op = ST_COUNT, $$.dir = $1, $$.percent = 0; }
	| STATOP sort_sign { $$.op = $1, $$.dir = $2, $$.percent = 0; }
	| MEDIAN sort_sign { $$.op = ST_PERCENTILE, $$.dir = $2, $$.percent = MEDIAN_PERCENT; }
	| PERCENTILE '(' percent ')' sort_sign {
		$$.op = ST_PERCENTILE, $$.dir = $5, $$.percent = $3;
	}
	;

sort_sign: '+' { $$ = 1; } | '-' { $$ = -1; } ;

percent:
	NUM { $$ = percent_of($1, PERCENT_PARTS, @$); }
	| DECIMAL { $$ = percent_of($1, 1, @$); }
	;

/* ------------------------------------------------------ expressions */

expr:
	NUM { $$ = node_new(N_NUM, @$); $$->num = $1; }
	| strings %prec BELOW {
		$$ = node_new(N_STR, @$);
		$$->str.s = $1.s;
		$$->str.len = $1.len;
		$$->str.pos = $1.pos;
	}
	| lvalue %prec BELOW
	| EMBEDDED %prec BELOW { $$ = embedded(p->s, &$1, @1); }
	| '&' target %prec UNARY { $$ = $2; $$->loc = @$; $$->target.addrof = true; }
	| '&' '(' lvalue ')' %prec UNARY {
		if ($3->kind != N_TARGET || $3->target.pretty) {
			diag_error(E_SYNTAX, @3, "this has no address");
			YYERROR;
		}
		$$ = $3;
		$$->loc = @$;
		$$->target.addrof = true;
	}
	| '&' IDENT '[' keys ']' %prec UNARY {
		struct node *var = node_new(N_VAR, @2);

		var->var.name = $2;
		$$ = pointer_node(var, (struct target_comp){.kind = TC_INDEX, .index = $4.first,
			.loc = @3}, @$);
		$$->target.addrof = true;
		if ($4.first->next) {
			diag_error(E_SYNTAX, @$, "an element of an array has no address");
			YYERROR;
		}
	}
	| '(' expr ')' { $$ = $2; }
	| IDENT '(' arguments ')' {
		$$ = call_node($1, @1, $3, @$);
	}
	| PRINT '(' arguments ')' {
		$$ = print_node($1, $3, @$);
		if (!$$)
			YYERROR;
	}
	| STATOP '(' expr numbers ')' { $$ = statop_node($1, $3, &$4, @$); }
	| MEDIAN '(' expr ')' { $$ = percentile_node($3, MEDIAN_PERCENT, @$); }
	| PERCENTILE '(' expr ',' percent ')' { $$ = percentile_node($3, $5, @$); }
	| hist %prec BELOW
	| hist '[' expr ']' { $$ = bucket_node($1, $3, @$); }
	| PROBEWRITE '(' IDENT ')' { $$ = node_new(N_PROBEWRITE, @$); $$->var.name = $3; }
	| PROBEWRITE '(' TARGET ')' { $$ = node_new(N_PROBEWRITE, @$); $$->var.name = $3; }
	| DEFINED '(' expr ')' { $$ = node_new(N_DEFINED, @$); $$->defined.e = $3; }
	| DEREF '(' NUM ',' expr ')' { $$ = raw_memory(p, $1, $3, $5, @3, @$); }
	| REGISTER '(' NUM ')' { $$ = raw_register(p, $1, $3, @$); }
	| ENTRY '(' expr ')' { $$ = node_new(N_ENTRY, @$); $$->entry.e = $3; }
	| PERF '(' strings ')' { $$ = perf_node($3, @3, @$); }
	| '[' keys ']' IN array_ref { $$ = $5; $$->loc = @$; $$->in.keys = $2.first; }
	| expr IN array_ref {
		if ($1->kind == N_IN && $1->loc.end == @1.end)
			diag_error(E_SYNTAX, @2, "several \"in\" in a row need parentheses");
		$$ = $3; $$->loc = @$; $$->in.keys = $1;
		node_deepen($$, $1, $1);
	}
	| lvalue INC { $$ = incdec_node($1, 1, true, @$); }
	| lvalue DEC { $$ = incdec_node($1, -1, true, @$); }
	| INC lvalue %prec UNARY { $$ = incdec_node($2, 1, false, @$); }
	| DEC lvalue %prec UNARY { $$ = incdec_node($2, -1, false, @$); }
	| '-' expr %prec UNARY { $$ = unary_node(OP_NEG, $2, @$); }
	| '+' expr %prec UNARY { $$ = unary_node(OP_PLUS, $2, @$); }
	| '!' expr { $$ = unary_node(OP_NOT, $2, @$); }
	| '~' expr { $$ = unary_node(OP_COMPL, $2, @$); }
	| expr '*' expr { $$ = binary_node(N_BINARY, OP_MUL, $1, $3, @$); }
	| expr '/' expr { $$ = binary_node(N_BINARY, OP_DIV, $1, $3, @$); }
	| expr '%' expr { $$ = binary_node(N_BINARY, OP_MOD, $1, $3, @$); }
	| expr '+' expr { $$ = binary_node(N_BINARY, OP_ADD, $1, $3, @$); }
	| expr '-' expr { $$ = binary_node(N_BINARY, OP_SUB, $1, $3, @$); }
	| expr '.' expr { $$ = binary_node(N_BINARY, OP_CONCAT, $1, $3, @$); }
	| expr SHL expr { $$ = binary_node(N_BINARY, OP_SHL, $1, $3, @$); }
	| expr SHR expr { $$ = binary_node(N_BINARY, OP_SHR, $1, $3, @$); }
	| expr USHR expr { $$ = binary_node(N_BINARY, OP_USHR, $1, $3, @$); }
	| expr EQ expr { $$ = binary_node(N_BINARY, OP_EQ, $1, $3, @$); }
	| expr NE expr { $$ = binary_node(N_BINARY, OP_NE, $1, $3, @$); }
	| expr '<' expr { $$ = binary_node(N_BINARY, OP_LT, $1, $3, @$); }
	| expr '>' expr { $$ = binary_node(N_BINARY, OP_GT, $1, $3, @$); }
	| expr LE expr { $$ = binary_node(N_BINARY, OP_LE, $1, $3, @$); }
	| expr GE expr { $$ = binary_node(N_BINARY, OP_GE, $1, $3, @$); }
	| expr MATCH strings { $$ = regex_node($1, &$3, false, @3, @$); node_deepen($$, $1, $1); }
	| expr NOMATCH strings { $$ = regex_node($1, &$3, true, @3, @$); node_deepen($$, $1, $1); }
	| expr '&' expr { $$ = binary_node(N_BINARY, OP_AND, $1, $3, @$); }
	| expr '^' expr { $$ = binary_node(N_BINARY, OP_XOR, $1, $3, @$); }
	| expr '|' expr { $$ = binary_node(N_BINARY, OP_OR, $1, $3, @$); }
	| expr LAND expr { $$ = binary_node(N_LOGIC, OP_LAND, $1, $3, @$); }
	| expr LOR expr { $$ = binary_node(N_LOGIC, OP_LOR, $1, $3, @$); }
	| expr '?' expr ':' expr {
		$$ = node_new(N_COND, @$);
		$$->cond.c = $1, $$->cond.t = $3, $$->cond.f = $5;
		if (!session_predates(p->s, "4.0", @5))
			refuse_assignment($5, @5);
	}
	| lvalue '=' expr { $$ = binary_node(N_ASSIGN, OP_SET, $1, $3, @$); }
	| lvalue STATADD expr { $$ = binary_node(N_ASSIGN, OP_STAT, $1, $3, @$); }
	| lvalue ADDEQ expr { $$ = binary_node(N_ASSIGN, OP_ADD, $1, $3, @$); }
	| lvalue SUBEQ expr { $$ = binary_node(N_ASSIGN, OP_SUB, $1, $3, @$); }
	| lvalue MULEQ expr { $$ = binary_node(N_ASSIGN, OP_MUL, $1, $3, @$); }
	| lvalue DIVEQ expr { $$ = binary_node(N_ASSIGN, OP_DIV, $1, $3, @$); }
	| lvalue MODEQ expr { $$ = binary_node(N_ASSIGN, OP_MOD, $1, $3, @$); }
	| lvalue SHLEQ expr { $$ = binary_node(N_ASSIGN, OP_SHL, $1, $3, @$); }
	| lvalue SHREQ expr { $$ = binary_node(N_ASSIGN, OP_SHR, $1, $3, @$); }
	| lvalue ANDEQ expr { $$ = binary_node(N_ASSIGN, OP_AND, $1, $3, @$); }
	| lvalue OREQ expr { $$ = binary_node(N_ASSIGN, OP_OR, $1, $3, @$); }
	| lvalue XOREQ expr { $$ = binary_node(N_ASSIGN, OP_XOR, $1, $3, @$); }
	| lvalue CATEQ expr { $$ = binary_node(N_ASSIGN, OP_CONCAT, $1, $3, @$); }
	;

hist: HISTOP '(' expr numbers ')' { $$ = statop_node($1, $3, &$4, @$); } ;

numbers:
	%empty { $$ = (struct num_list){0}; }
	| numbers ',' signed_number {
		$$ = $1;
		if ($$.n < 3)
			$$.v[$$.n] = $3;
		$$.n++;
	}
	;

signed_number: NUM | '-' NUM { $$ = (int64_t)(0 - (uint64_t)$2); } ;

array_ref: IDENT { $$ = node_new(N_IN, @$); $$->in.array = $1; } ;

lvalue:
	IDENT %prec BELOW { $$ = node_new(N_VAR, @$); $$->var.name = $1; }
	| IDENT '[' keys ']' {
		$$ = node_new(N_INDEX, @$);
		$$->index.name = $1;
		$$->index.keys = $3.first;
	}
	| target %prec BELOW
	| target PRETTY { $$ = $1; target_pretty($$, $2, @$); }
	| '(' lvalue ')' { $$ = $2; }
	;

target:
	TARGET { $$ = target_node($1, @$); }
	| ATVAR '(' strings optional_module ')' { $$ = typed_start(TS_VAR, NULL, $3, $4, @$); }
	| CONSTANT '(' strings optional_module ')' {
		$$ = typed_start($1, NULL, $3, $4, @$);
		if ($1 == TS_CONST && $4.s) {
			diag_error(E_SYNTAX, @4, "@const takes one string");
			YYERROR;
		}
	}
	| CAST '(' expr ',' strings optional_module ')'
	{
		$$ = typed_start(TS_CAST, $3, $5, $6, @$);
		if (!$6.s && session_predates(p->s, "4.3", @$))
			$$->target.module = "kernel";
	}
	| target target_comp { $$ = $1; target_add($$, $2, @$); }
	| IDENT target_member {
		struct node *var = node_new(N_VAR, @1);

		var->var.name = $1;
		$$ = pointer_node(var, $2, @$);
	}
	| IDENT '[' keys ']' target_comp {
		struct node *element = node_new(N_INDEX, @$);

		element->loc.end = @4.end;
		element->index.name = $1;
		element->index.keys = $3.first;
		$$ = pointer_node(element, $5, @$);
	}
	| IDENT '(' arguments ')' target_comp {
		struct node *call = call_node($1, @1, $3, @$);

		call->loc.end = @4.end;
		$$ = pointer_node(call, $5, @$);
	}
	| ENTRY '(' expr ')' target_comp {
		struct node *entry = node_new(N_ENTRY, @$);

		entry->loc.end = @4.end;
		entry->entry.e = $3;
		$$ = pointer_node(entry, $5, @$);
	}
	| '(' expr ')' target_comp { $$ = pointer_node($2, $4, @$); }
	| '(' lvalue ')' target_comp { $$ = pointer_node($2, $4, @$); }
	;

optional_module:
	%empty { $$ = (struct lexstr){0}; }
	| ',' strings { $$ = $2; }
	;

target_member: ARROW IDENT
	{ $$ = (struct target_comp){.kind = TC_MEMBER, .name = $2, .loc = @2}; } ;

target_comp:
	target_member
	| '[' expr ']' { $$ = (struct target_comp){.kind = TC_INDEX, .index = $2, .loc = @2}; }
	;

arguments:
	%empty { $$ = (struct nlist){0}; }
	| expr_list {
		$$ = $1;
		if ($1.n > MAX_ARGS) {
			diag_error(E_LIMIT, @1, "at most %d values", MAX_ARGS);
			YYERROR;
		}
	}
	;


keys:
	key { $$ = nlist_of($1); }
	| keys ',' key { $$ = nlist_add($1, $3); }
	;

key:
	expr
	| '*' { $$ = node_new(N_ANY, @1); }
	;

expr_list:
	expr { $$ = nlist_of($1); }
	| expr_list ',' expr { $$ = nlist_add($1, $3); }
	;

%%

/* --------------------------------------------------------------- errors */

static void ustap_yyerror(struct loc *loc, void *scanner, struct parser *p, const char *msg)
{
	(void)scanner, (void)p;
	if (!strcmp(msg, "memory exhausted"))   /* YYMAXDEPTH */
		diag_error(E_LIMIT, *loc, "nested too deeply");
	else
		diag_error(E_SYNTAX, *loc, "%s", msg);
}

#define MAX_EXPECTED 4

static int yyreport_syntax_error(const yypcontext_t *ctx, void *scanner, struct parser *p)
{
	yysymbol_kind_t got = yypcontext_token(ctx), want[MAX_EXPECTED];
	int n = yypcontext_expected_tokens(ctx, want, MAX_EXPECTED);
	struct strbuf sb = {0};

	(void)scanner;
	sb_printf(&sb, "unexpected %s", got == YYSYMBOL_YYEMPTY ? "text" : yysymbol_name(got));
	for (int i = 0; i < n; i++)
		sb_printf(&sb, "%s %s", i ? " or" : ", expected", yysymbol_name(want[i]));
	diag_error(E_SYNTAX, *yypcontext_location(ctx), "%s", sb.s);
	for (int i = 0; i < n && got == YYSYMBOL_IDENT; i++)
		if (want[i] == YYSYMBOL_STR)
			diag_hint("put the name in quotation marks here");
	p->failing = true;
	return 0;
}
