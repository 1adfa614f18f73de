#!/bin/sh
# plugin_daws.sh FOLDER: heddle.lv2 in Ardour without a window (its Lua interpreter, on the dummy engine): loaded, heard, saved, opened again;
# heddle.clap in Qtractor's scanner of plugins. Skipped (77) where neither is here.
set -eu
folder=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; cat "$scratch"/*.log; exit 1; }
done=

ardour=$(command -v ardour9-lua || command -v ardour8-lua || command -v ardour7-lua || true)
if [ "$ardour" ]; then
    cat >"$scratch/run.lua" <<LUA
AudioEngine:set_backend("None (Dummy)", "Unit-Test", "Unit-Test")
function audio(n) return ARDOUR.ChanCount(ARDOUR.DataType("audio"), n) end
function midi(n) return ARDOUR.ChanCount(ARDOUR.DataType("midi"), n) end
function loudest(track) -- of a note
  local note, found = C.ByteVector(), -200
  note:add({0x90, 60, 100})
  track:to_track():to_midi_track():write_immediate_event(Evoral.EventType.MIDI_EVENT, note:size(), note:to_array())
  for k = 1, 40 do
    ARDOUR.LuaAPI.usleep(50000)
    found = math.max(found, track:peak_meter():meter_level(0, ARDOUR.MeterType.MeterPeak))
    if found > -60 then break end
  end
  return found > -60
end
s = create_session("$scratch/session", "heddle", 48000)
for track in s:new_midi_track(midi(1), audio(2), true, ARDOUR.PluginInfo(), nil, nil, 1, "synth", ARDOUR.PresentationInfo.max_order, ARDOUR.TrackMode.Normal, true):iter() do
  plugin = ARDOUR.LuaAPI.new_plugin(s, "urn:heddle:synth", ARDOUR.PluginType.LV2, "")
  track:add_processor_by_index(plugin, 0, nil, true)
  print("latency", plugin:to_insert():signal_latency(), "heard", loudest(track))
end
print("saved", s:save_state("", false, false, false, false, false))
close_session()
s = load_session("$scratch/session", "heddle")
for track in s:get_tracks():iter() do print("again", track:nth_plugin(0):display_name(), "heard", loudest(track)) end
close_session()
LUA
    HOME=$scratch LV2_PATH=$folder/lv2:/usr/lib/lv2 timeout 100 "$ardour" "$scratch/run.lua" >"$scratch/ardour.log" 2>&1 || fail 'Ardour has ended with an error'
    for words in 'latency 71 heard true' 'saved 0' 'again Heddle Synth heard true'; do
        tr -s '\t ' ' ' <"$scratch/ardour.log" | grep -q "^$words\$" || fail "Ardour does not say \"$words\""
    done
    done="$done Ardour"
fi

scanner=$(command -v qtractor_plugin_scan || ls /usr/lib/*/qtractor/qtractor_plugin_scan 2>/dev/null || true)
if [ "$scanner" ]; then
    echo "CLAP:$folder/clap/heddle.clap" | QT_QPA_PLATFORM=offscreen timeout 60 "$scanner" >"$scratch/qtractor.log" 2>&1 || fail 'the scanner has ended with an error'
    grep -q '^CLAP|Heddle Synth|0:2|1:0|10:0|' "$scratch/qtractor.log" || fail 'Qtractor does not see the instrument'
    done="$done Qtractor"
fi
[ "$done" ] || { echo 'skipped: neither Ardour nor Qtractor is here (Debian: ardour, qtractor)'; exit 77; }
echo "the plugins work in:$done"
