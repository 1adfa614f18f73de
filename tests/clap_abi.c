/* What engines/synth/plugin/clap_api.h declares is what CLAP's official headers do: sizes, places,
 * numbers. Compiled where those are (HEDDLE_clap_INCLUDE); nothing is run. */
#include "clap_api.h"

#include <clap/clap.h>

#define SIZE(ours, its) _Static_assert(sizeof(ours) == sizeof(its), #its)
#define PLACE(ours, member, its, its_member) \
    _Static_assert(offsetof(ours, member) == offsetof(its, its_member), #its "." #its_member)
#define SAME(ours, its) _Static_assert((int)(ours) == (int)(its), #its)

SIZE(clap_api_version, clap_version_t);
SIZE(clap_api_host, clap_host_t);
PLACE(clap_api_host, get_extension, clap_host_t, get_extension);
PLACE(clap_api_host, request_callback, clap_host_t, request_callback);
SIZE(clap_api_descriptor, clap_plugin_descriptor_t);
PLACE(clap_api_descriptor, features, clap_plugin_descriptor_t, features);
SIZE(clap_api_event, clap_event_header_t);
PLACE(clap_api_event, space, clap_event_header_t, space_id);
SIZE(clap_api_note, clap_event_note_t);
PLACE(clap_api_note, port, clap_event_note_t, port_index);
PLACE(clap_api_note, velocity, clap_event_note_t, velocity);
SIZE(clap_api_expression, clap_event_note_expression_t);
PLACE(clap_api_expression, value, clap_event_note_expression_t, value);
SIZE(clap_api_value, clap_event_param_value_t);
PLACE(clap_api_value, note, clap_event_param_value_t, note_id);
PLACE(clap_api_value, value, clap_event_param_value_t, value);
SIZE(clap_api_midi, clap_event_midi_t);
PLACE(clap_api_midi, bytes, clap_event_midi_t, data);
SIZE(clap_api_transport, clap_event_transport_t);
PLACE(clap_api_transport, tempo, clap_event_transport_t, tempo);
PLACE(clap_api_transport, bar, clap_event_transport_t, bar_number);
SIZE(clap_api_in_events, clap_input_events_t);
SIZE(clap_api_out_events, clap_output_events_t);
SIZE(clap_api_audio, clap_audio_buffer_t);
PLACE(clap_api_audio, constant, clap_audio_buffer_t, constant_mask);
SIZE(clap_api_process, clap_process_t);
PLACE(clap_api_process, outputs, clap_process_t, audio_outputs);
PLACE(clap_api_process, in, clap_process_t, in_events);
SIZE(clap_api_plugin, clap_plugin_t);
PLACE(clap_api_plugin, process, clap_plugin_t, process);
PLACE(clap_api_plugin, on_main_thread, clap_plugin_t, on_main_thread);
SIZE(clap_api_factory, clap_plugin_factory_t);
SIZE(clap_api_entry, clap_plugin_entry_t);
SIZE(clap_api_audio_port, clap_audio_port_info_t);
PLACE(clap_api_audio_port, type, clap_audio_port_info_t, port_type);
SIZE(clap_api_audio_ports, clap_plugin_audio_ports_t);
SIZE(clap_api_note_port, clap_note_port_info_t);
PLACE(clap_api_note_port, name, clap_note_port_info_t, name);
SIZE(clap_api_note_ports, clap_plugin_note_ports_t);
SIZE(clap_api_in_stream, clap_istream_t);
SIZE(clap_api_out_stream, clap_ostream_t);
SIZE(clap_api_state, clap_plugin_state_t);
SIZE(clap_api_host_state, clap_host_state_t);
SIZE(clap_api_latency, clap_plugin_latency_t);
SIZE(clap_api_host_latency, clap_host_latency_t);
SIZE(clap_api_param, clap_param_info_t);
PLACE(clap_api_param, least, clap_param_info_t, min_value);
SIZE(clap_api_params, clap_plugin_params_t);
PLACE(clap_api_params, flush, clap_plugin_params_t, flush);
SIZE(clap_api_host_params, clap_host_params_t);
SIZE(clap_api_host_log, clap_host_log_t);
SIZE(clap_api_preset_load, clap_plugin_preset_load_t);
SIZE(clap_api_host_preset_load, clap_host_preset_load_t);
SIZE(clap_api_plugin_id, clap_universal_plugin_id_t);
SIZE(clap_api_metadata, clap_preset_discovery_metadata_receiver_t);
PLACE(clap_api_metadata, add_feature, clap_preset_discovery_metadata_receiver_t, add_feature);
SIZE(clap_api_file_type, clap_preset_discovery_filetype_t);
SIZE(clap_api_location, clap_preset_discovery_location_t);
PLACE(clap_api_location, location, clap_preset_discovery_location_t, location);
SIZE(clap_api_provider_descriptor, clap_preset_discovery_provider_descriptor_t);
SIZE(clap_api_provider, clap_preset_discovery_provider_t);
PLACE(clap_api_provider, get_metadata, clap_preset_discovery_provider_t, get_metadata);
SIZE(clap_api_indexer, clap_preset_discovery_indexer_t);
PLACE(clap_api_indexer, declare_location, clap_preset_discovery_indexer_t, declare_location);
SIZE(clap_api_preset_factory, clap_preset_discovery_factory_t);

SAME(CLAP_API_NOTE_CHOKE, CLAP_EVENT_NOTE_CHOKE);
SAME(CLAP_API_NOTE_EXPRESSION, CLAP_EVENT_NOTE_EXPRESSION);
SAME(CLAP_API_PARAM_VALUE, CLAP_EVENT_PARAM_VALUE);
SAME(CLAP_API_TRANSPORT, CLAP_EVENT_TRANSPORT);
SAME(CLAP_API_MIDI, CLAP_EVENT_MIDI);
SAME(CLAP_API_MIDI_SYSEX, CLAP_EVENT_MIDI_SYSEX);
SIZE(clap_api_midi_sysex, clap_event_midi_sysex_t);
PLACE(clap_api_midi_sysex, bytes, clap_event_midi_sysex_t, buffer);
SAME(CLAP_API_DONT_RECORD, CLAP_EVENT_DONT_RECORD);
SAME(CLAP_API_TUNING, CLAP_NOTE_EXPRESSION_TUNING);
SAME(CLAP_API_PRESSURE, CLAP_NOTE_EXPRESSION_PRESSURE);
SAME(CLAP_API_HAS_TEMPO, CLAP_TRANSPORT_HAS_TEMPO);
SAME(CLAP_API_ERROR, CLAP_PROCESS_ERROR);
SAME(CLAP_API_CONTINUE, CLAP_PROCESS_CONTINUE);
SAME(CLAP_API_MAIN_PORT, CLAP_AUDIO_PORT_IS_MAIN);
SAME(CLAP_API_DIALECT_CLAP, CLAP_NOTE_DIALECT_CLAP);
SAME(CLAP_API_DIALECT_MIDI, CLAP_NOTE_DIALECT_MIDI);
SAME(CLAP_API_DIALECT_MPE, CLAP_NOTE_DIALECT_MIDI_MPE);
SAME(CLAP_API_STEPPED, CLAP_PARAM_IS_STEPPED);
SAME(CLAP_API_AUTOMATABLE, CLAP_PARAM_IS_AUTOMATABLE);
SAME(CLAP_API_ENUM, CLAP_PARAM_IS_ENUM);
SAME(CLAP_API_RESCAN_VALUES, CLAP_PARAM_RESCAN_VALUES);
SAME(CLAP_API_RESCAN_TEXT, CLAP_PARAM_RESCAN_TEXT);
SAME(CLAP_API_RESCAN_INFO, CLAP_PARAM_RESCAN_INFO);
SAME(CLAP_API_LOG_ERROR, CLAP_LOG_ERROR);
SAME(CLAP_API_LOCATION_FILE, CLAP_PRESET_DISCOVERY_LOCATION_FILE);
SAME(CLAP_API_LOCATION_PLUGIN, CLAP_PRESET_DISCOVERY_LOCATION_PLUGIN);
SAME(CLAP_API_FACTORY_CONTENT, CLAP_PRESET_DISCOVERY_IS_FACTORY_CONTENT);
SAME(CLAP_API_USER_CONTENT, CLAP_PRESET_DISCOVERY_IS_USER_CONTENT);
SIZE(clap_api_voices, clap_voice_info_t);
PLACE(clap_api_voices, flags, clap_voice_info_t, flags);
SIZE(clap_api_voice_info, clap_plugin_voice_info_t);
SIZE(clap_api_tail, clap_plugin_tail_t);
SIZE(clap_api_key_name, clap_note_name_t);
PLACE(clap_api_key_name, key, clap_note_name_t, key);
PLACE(clap_api_key_name, channel, clap_note_name_t, channel);
SIZE(clap_api_note_name, clap_plugin_note_name_t);
PLACE(clap_api_value, value, clap_event_param_mod_t, amount);
SAME(CLAP_API_PARAM_MOD, CLAP_EVENT_PARAM_MOD);
SAME(CLAP_API_NOTE_END, CLAP_EVENT_NOTE_END);
SAME(CLAP_API_TAIL_STATUS, CLAP_PROCESS_TAIL);
SAME(CLAP_API_SLEEP, CLAP_PROCESS_SLEEP);
SAME(CLAP_API_MODULATABLE, CLAP_PARAM_IS_MODULATABLE);
SAME(CLAP_API_MODULATABLE_PER_NOTE, CLAP_PARAM_IS_MODULATABLE_PER_NOTE_ID);
SAME(CLAP_API_MODULATABLE_PER_KEY, CLAP_PARAM_IS_MODULATABLE_PER_KEY);
SAME(CLAP_API_MODULATABLE_PER_CHANNEL, CLAP_PARAM_IS_MODULATABLE_PER_CHANNEL);
SAME(CLAP_API_MODULATABLE_PER_PORT, CLAP_PARAM_IS_MODULATABLE_PER_PORT);
SAME(CLAP_API_OVERLAPPING_NOTES, CLAP_VOICE_INFO_SUPPORTS_OVERLAPPING_NOTES);
