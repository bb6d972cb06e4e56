/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --output=ctf: a recording in the Common Trace Format 1.8, written by libbabeltrace2. A graph of
 * two components does it: a source whose messages are the steps of all threads by time, and
 * sink.ctf.fs, a plugin of libbabeltrace2. All threads are in one stream of packets; each event has
 * the ids of its process and thread.
 */
#include "config.h"
#include "recording.h"
#include "base/message.h"

#ifdef HAVE_BABELTRACE2
#include "base/json_text.h"

#include <babeltrace2/babeltrace.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PACKET_EVENTS = 1 << 15 };
/* Classes of events. Events with and without values have the same name and different members: the
 * reader of version 2.0.4 shows the string of an earlier event for an empty one. */
enum event_kind { ENTRY, ENTRY_ARGS, RETURN, RETURN_RESULT, INLINED, INLINED_ARGS, TRIGGER };

static const struct {
	const char *name;
	const char *values; /* member with values; NULL: none */
	bool has_function, has_end;
} kinds[] = {[ENTRY] = {"entry", NULL, true, false},
	     [ENTRY_ARGS] = {"entry", "arguments", true, false},
	     [RETURN] = {"return", NULL, true, true},
	     [RETURN_RESULT] = {"return", "result", true, true},
	     [INLINED] = {"inlined", NULL, true, false},
	     [INLINED_ARGS] = {"inlined", "arguments", true, false},
	     [TRIGGER] = {"trigger", NULL, false, false}};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Ends of calls. */
enum ending { BY_RETURN, BY_TAIL_CALL, LEFT, NOT_RETURNED };

static const struct {
	const char *label;
	enum ending value;
} endings[] = {{"return", BY_RETURN},
	       {"tail_call", BY_TAIL_CALL},
	       {"left_without_return", LEFT},
	       {"not_returned", NOT_RETURNED}};

/* The kind of the next message. */
enum state { BEGIN_STREAM, BEGIN_PACKET, IN_PACKET, END_STREAM, DONE };

struct writer {
	const struct recording *r;
	struct timeline timeline;
	size_t trigger; /* the next one */
	bt_stream_class *stream_class;
	bt_stream *stream;
	bt_packet *packet;
	const bt_event_class *classes[KINDS];
	enum state state;
	size_t in_packet; /* events in it */
	uint64_t now;     /* ns of the last message; the clock must not go back */
	struct text text; /* for strings in UTF-8 */
};

/* ------------------------------------------------------------------ classes */

/* Add a member NAME, and give up FC. */
static void add_member(bt_field_class *to, const char *name, bt_field_class *fc)
{
	bt_field_class_structure_append_member(to, name, fc);
	bt_field_class_put_ref(fc);
}

static void add_id(bt_trace_class *tc, bt_field_class *to, const char *name)
{
	bt_field_class *fc = bt_field_class_integer_unsigned_create(tc);

	bt_field_class_integer_set_field_value_range(fc, 32);
	add_member(to, name, fc);
}

static void add_ending(bt_trace_class *tc, bt_field_class *to)
{
	bt_field_class *fc = bt_field_class_enumeration_unsigned_create(tc);

	bt_field_class_integer_set_field_value_range(fc, 8);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		bt_integer_range_set_unsigned *set = bt_integer_range_set_unsigned_create();

		bt_integer_range_set_unsigned_add_range(set, endings[i].value, endings[i].value);
		bt_field_class_enumeration_unsigned_add_mapping(fc, endings[i].label, set);
		bt_integer_range_set_unsigned_put_ref(set);
	}
	add_member(to, "end", fc);
}

static void make_event_class(struct writer *w, bt_trace_class *tc, size_t kind)
{
	bt_event_class *c = bt_event_class_create(w->stream_class);
	bt_field_class *payload = bt_field_class_structure_create(tc);

	bt_event_class_set_name(c, kinds[kind].name);
	if (kinds[kind].has_function)
		add_member(payload, "function", bt_field_class_string_create(tc));
	if (kinds[kind].has_end)
		add_ending(tc, payload);
	if (kinds[kind].values)
		add_member(payload, kinds[kind].values, bt_field_class_string_create(tc));
	bt_event_class_set_payload_field_class(c, payload);
	bt_field_class_put_ref(payload);
	w->classes[kind] = c;
}

/* Nanoseconds since the first event of the recording. */
static bt_clock_class *make_clock(bt_self_component *self)
{
	bt_clock_class *clock = bt_clock_class_create(self);

	bt_clock_class_set_name(clock, "recording");
	bt_clock_class_set_description(clock, "time since the first event of the recording");
	bt_clock_class_set_origin_is_unix_epoch(clock, BT_FALSE);
	return clock;
}

static void make_classes(struct writer *w, bt_self_component *self)
{
	bt_trace_class *tc = bt_trace_class_create(self);
	bt_field_class *context = bt_field_class_structure_create(tc);
	bt_clock_class *clock = make_clock(self);
	bt_trace *trace;

	w->stream_class = bt_stream_class_create(tc);
	bt_stream_class_set_default_clock_class(w->stream_class, clock);
	bt_stream_class_set_supports_packets(w->stream_class, BT_TRUE, BT_TRUE, BT_TRUE);
	add_id(tc, context, "vpid");
	add_id(tc, context, "vtid");
	bt_stream_class_set_event_common_context_field_class(w->stream_class, context);
	for (size_t k = 0; k < KINDS; k++)
		make_event_class(w, tc, k);
	trace = bt_trace_create(tc);
	w->stream = bt_stream_create(w->stream_class, trace);
	bt_trace_put_ref(trace);
	bt_clock_class_put_ref(clock);
	bt_field_class_put_ref(context);
	bt_trace_class_put_ref(tc);
}

/* ------------------------------------------------------------------- events */

/* S as the string MEMBER, with U+FFFD for what is not UTF-8. */
static void set_string(struct writer *w, bt_field *payload, uint64_t member, const char *s)
{
	bt_field *f = bt_field_structure_borrow_member_field_by_index(payload, member);
	const unsigned char *p = (const unsigned char *)s, *end = p + strlen(s);

	w->text.n = 0;
	text_put(&w->text, "");
	for (size_t n; p < end; p += n ? n : 1) {
		n = utf8_length(p, (size_t)(end - p));
		text_add(&w->text, n ? (const char *)p : "\xef\xbf\xbd", n ? n : 3);
	}
	bt_field_string_set_value(f, w->text.s);
}

static void set_number(bt_field *structure, uint64_t member, uint64_t value)
{
	bt_field_integer_unsigned_set_value(
		bt_field_structure_borrow_member_field_by_index(structure, member), value);
}

static enum ending ending_of(const struct step *s)
{
	return s->flags & CALL_CUT    ? NOT_RETURNED
	       : s->flags & CALL_LEFT ? LEFT
	       : s->flags & CALL_TAIL ? BY_TAIL_CALL
				      : BY_RETURN;
}

/* An event of the thread PID, TID at the time w->now; the caller sets its payload. */
static bt_message *make_event(struct writer *w, bt_self_message_iterator *self,
			      enum event_kind kind, uint32_t pid, uint32_t tid)
{
	bt_message *m = bt_message_event_create_with_packet_and_default_clock_snapshot(
		self, w->classes[kind], w->packet, w->now);
	bt_field *context;

	if (!m)
		return NULL;
	context = bt_event_borrow_common_context_field(bt_message_event_borrow_event(m));
	set_number(context, 0, pid);
	set_number(context, 1, tid);
	w->in_packet++;
	return m;
}

static const bt_message *step_event(struct writer *w, bt_self_message_iterator *self,
				    const struct lane *l)
{
	static const enum event_kind of_step[] = {
		[STEP_ENTER] = ENTRY, [STEP_LEAVE] = RETURN, [STEP_INLINED] = INLINED};
	const struct step *s = &l->step;
	const char *title = w->r->functions[s->function].title;
	char values[UST_CALLS_TEXT_MAX + 1];
	enum event_kind kind;
	bt_message *m;
	bt_field *payload;

	recording_values(w->r, s->kind == STEP_LEAVE ? s->result : s->args, values);
	kind = of_step[s->kind] + (*values ? 1 : 0);
	m = make_event(w, self, kind, l->thread->pid, l->thread->tid);
	if (!m)
		return NULL;
	payload = bt_event_borrow_payload_field(bt_message_event_borrow_event(m));
	set_string(w, payload, 0, *title ? title : "(unnamed)");
	if (kinds[kind].has_end)
		set_number(payload, 1, ending_of(s));
	if (*values)
		set_string(w, payload, kinds[kind].has_end ? 2 : 1, values);
	return m;
}

/* ----------------------------------------------------------------- messages */

/* The time of the next event; false at the end. */
static bool next_time(struct writer *w, struct lane **l, uint64_t *ticks)
{
	*l = timeline_first(&w->timeline, ticks);
	if (w->trigger < w->r->ntriggers && (!*l || w->r->triggers[w->trigger].ticks < *ticks)) {
		*ticks = w->r->triggers[w->trigger].ticks;
		*l = NULL;
		return true;
	}
	return *l;
}

static void set_now(struct writer *w, uint64_t ticks)
{
	uint64_t ns = recording_time(w->r, ticks);

	if (ns > w->now)
		w->now = ns;
}

/* The next event of the packet, or the packet's end. */
static const bt_message *next_in_packet(struct writer *w, bt_self_message_iterator *self)
{
	const bt_message *m;
	struct lane *l;
	uint64_t ticks;
	bool more = next_time(w, &l, &ticks);

	if (!more || w->in_packet == PACKET_EVENTS) {
		w->state = more ? BEGIN_PACKET : END_STREAM;
		m = bt_message_packet_end_create_with_default_clock_snapshot(self, w->packet,
									     w->now);
		bt_packet_put_ref(w->packet);
		w->packet = NULL;
		return m;
	}
	set_now(w, ticks);
	if (l) {
		m = step_event(w, self, l);
		timeline_advance(&w->timeline);
	} else {
		const struct ust_calls_moment *t = &w->r->triggers[w->trigger++];

		m = make_event(w, self, TRIGGER, t->pid, t->tid);
	}
	return m;
}

static const bt_message *begin_packet(struct writer *w, bt_self_message_iterator *self)
{
	struct lane *l;
	uint64_t ticks;

	if (next_time(w, &l, &ticks))
		set_now(w, ticks);
	w->packet = bt_packet_create(w->stream);
	w->in_packet = 0;
	w->state = IN_PACKET;
	return bt_message_packet_beginning_create_with_default_clock_snapshot(self, w->packet,
									      w->now);
}

/* The next message; NULL without memory. */
static const bt_message *next_message(struct writer *w, bt_self_message_iterator *self)
{
	switch (w->state) {
	case BEGIN_STREAM:
		w->state = BEGIN_PACKET;
		return bt_message_stream_beginning_create(self, w->stream);
	case BEGIN_PACKET:
		return begin_packet(w, self);
	case IN_PACKET:
		return next_in_packet(w, self);
	default:
		w->state = DONE;
		return bt_message_stream_end_create(self, w->stream);
	}
}

/* Give up the stream: the sink, which has all messages, writes the metadata of the trace now. */
static void put_refs(struct writer *w)
{
	bt_stream_put_ref(w->stream);
	for (size_t k = 0; k < KINDS; k++)
		bt_event_class_put_ref(w->classes[k]);
	bt_stream_class_put_ref(w->stream_class);
}

static bt_message_iterator_class_next_method_status next_messages(bt_self_message_iterator *self,
								  bt_message_array_const messages,
								  uint64_t capacity,
								  uint64_t *count)
{
	struct writer *w = bt_self_component_get_data(
		bt_self_message_iterator_borrow_component(self));

	for (*count = 0; *count < capacity && w->state != DONE; ++*count) {
		messages[*count] = next_message(w, self);
		if (!messages[*count])
			return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_MEMORY_ERROR;
	}
	if (*count)
		return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
	put_refs(w);
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

/* ------------------------------------------------------------------- graph */

static bt_component_class_initialize_method_status make_source(
	bt_self_component_source *self, bt_self_component_source_configuration *config,
	const bt_value *params, void *data)
{
	bt_self_component *component = bt_self_component_source_as_self_component(self);

	(void)config;
	(void)params;
	bt_self_component_set_data(component, data);
	make_classes(data, component);
	return bt_self_component_source_add_output_port(self, "out", NULL, NULL) ==
			       BT_SELF_COMPONENT_ADD_PORT_STATUS_OK
		       ? BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK
		       : BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
}

static const bt_component_source *add_source(bt_graph *graph, struct writer *w)
{
	bt_message_iterator_class *messages = bt_message_iterator_class_create(next_messages);
	bt_component_class_source *class = bt_component_class_source_create("calls", messages);
	const bt_component_source *c = NULL;

	bt_component_class_source_set_initialize_method(class, make_source);
	bt_graph_add_source_component_with_initialize_method_data(graph, class, "calls", NULL, w,
								  BT_LOGGING_LEVEL_NONE, &c);
	bt_message_iterator_class_put_ref(messages);
	bt_component_class_source_put_ref(class);
	return c;
}

static const bt_component_sink *add_sink(bt_graph *graph, const bt_plugin *plugin, const char *path)
{
	const bt_component_class_sink *class = bt_plugin_borrow_sink_component_class_by_name_const(
		plugin, "fs");
	const bt_component_sink *c = NULL;
	bt_value *params = bt_value_map_create();

	bt_value_map_insert_string_entry(params, "path", path);
	bt_value_map_insert_bool_entry(params, "quiet", BT_TRUE);
	/* since 2.1 the default is a format that graphs of this kind cannot have; 2.0 refuses a
	 * parameter that it does not know */
	if (bt_version_get_major() > 2 || bt_version_get_minor() > 0)
		bt_value_map_insert_string_entry(params, "ctf-version", "1.8");
	if (class)
		bt_graph_add_sink_component(graph, class, "file", params, BT_LOGGING_LEVEL_NONE,
					    &c);
	bt_value_put_ref(params);
	return c;
}

/* After a failure the graph is not freed: the sink of the library's version 2.0.4 would free its
 * tables twice, and the process ends anyway. */
static bool run_graph(struct writer *w, const bt_plugin *plugin, const char *path)
{
	bt_graph *graph = bt_graph_create(0);
	const bt_component_source *source = add_source(graph, w);
	const bt_component_sink *sink = source ? add_sink(graph, plugin, path) : NULL;

	if (!sink ||
	    bt_graph_connect_ports(graph,
				   bt_component_source_borrow_output_port_by_index_const(source, 0),
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK ||
	    bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK) {
		fail("%s: libbabeltrace2 cannot write the trace", path);
		return hint("make sure that the file system has space");
	}
	bt_graph_put_ref(graph);
	return true;
}

bool write_ctf(const struct recording *r, int64_t thread, const char *path)
{
	struct writer w = {.r = r};
	const bt_plugin *plugin = NULL;
	bool ok;

	/* no plugins of directories that the environment names */
	if (bt_plugin_find("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_FALSE, BT_FALSE, &plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK)
		return fail("--output=ctf: the plugin \"ctf\" of libbabeltrace2 is missing");
	/* libbabeltrace2 makes the directory `trace' below, where others cannot write */
	if (mkdir(path, 0777))
		return fail("cannot make the directory %s: %s", path, strerror(errno));
	timeline_open(&w.timeline, r, thread, 0);
	ok = run_graph(&w, plugin, path);
	bt_plugin_put_ref(plugin);
	recording_missing(r, timeline_missing(&w.timeline));
	timeline_close(&w.timeline);
	free(w.text.s);
	return ok;
}

#else

bool write_ctf(const struct recording *r, int64_t thread, const char *path)
{
	(void)r;
	(void)thread;
	(void)path;
	fail("--output=ctf: this ustap was built without libbabeltrace2");
	return hint("install libbabeltrace2-dev and build ustap again, or use "
		    "--output=trace-event");
}

#endif
