# Writes the turtle of heddle.lv2 (run with -P): what the plugin is, and a preset for each instrument.
#   -DOUT=folder -DVERSION=0.1.0 -DLIBRARY=heddle.so "-DINSTRUMENTS=a.json;b.json"
set(uri urn:heddle:synth) # PLUGIN_URI of plugin.h
set(many ${uri}:many) # PLUGIN_MANY_URI
set(prefixes "@prefix lv2: <http://lv2plug.in/ns/lv2core#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix atom: <http://lv2plug.in/ns/ext/atom#> .
@prefix doap: <http://usefulinc.com/ns/doap#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix log: <http://lv2plug.in/ns/ext/log#> .
@prefix midi: <http://lv2plug.in/ns/ext/midi#> .
@prefix patch: <http://lv2plug.in/ns/ext/patch#> .
@prefix pprops: <http://lv2plug.in/ns/ext/port-props#> .
@prefix pset: <http://lv2plug.in/ns/ext/presets#> .
@prefix rsz: <http://lv2plug.in/ns/ext/resize-port#> .
@prefix state: <http://lv2plug.in/ns/ext/state#> .
@prefix time: <http://lv2plug.in/ns/ext/time#> .
@prefix ui: <http://lv2plug.in/ns/extensions/ui#> .
@prefix units: <http://lv2plug.in/ns/extensions/units#> .
@prefix urid: <http://lv2plug.in/ns/ext/urid#> .
@prefix work: <http://lv2plug.in/ns/ext/worker#> .

")

# Where an instrument has its macro, as text; "" where it has no such macro.
function(initial_of text macro out)
  set(${out} "" PARENT_SCOPE)
  string(JSON count ERROR_VARIABLE none LENGTH "${text}" midi_sources)
  if(none)
    return()
  endif()
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON kind ERROR_VARIABLE none GET "${text}" midi_sources ${i} kind)
    string(JSON number ERROR_VARIABLE none GET "${text}" midi_sources ${i} number)
    if(kind STREQUAL host AND number STREQUAL "${macro}")
      string(JSON initial ERROR_VARIABLE none GET "${text}" midi_sources ${i} initial)
      if(none)
        set(initial 0.0)
      endif()
      set(${out} ${initial} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

set(manifest "${prefixes}<${uri}>
  a lv2:Plugin ;
  lv2:binary <${LIBRARY}> ;
  rdfs:seeAlso <heddle.ttl> .

<${many}>
  a lv2:Plugin ;
  lv2:binary <${LIBRARY}> ;
  rdfs:seeAlso <heddle.ttl> , <many.ttl> .

<${uri}#ui>
  a ui:X11UI ;
  lv2:binary <${LIBRARY}> ;
  rdfs:seeAlso <heddle.ttl> .
")
set(presets "${prefixes}")
foreach(file IN LISTS INSTRUMENTS)
  get_filename_component(name ${file} NAME_WE)
  string(SUBSTRING ${name} 0 1 first)
  string(SUBSTRING ${name} 1 -1 rest)
  string(TOUPPER ${first} first)
  file(READ ${file} text)
  set(ports "")
  foreach(macro RANGE 7)
    initial_of("${text}" ${macro} initial)
    if(NOT initial STREQUAL "")
      math(EXPR symbol "${macro} + 1")
      string(APPEND ports " ;\n  lv2:port [ lv2:symbol \"macro${symbol}\" ; pset:value ${initial} ]")
    endif()
  endforeach()
  string(APPEND manifest "
<${uri}#preset-${name}>
  a pset:Preset ;
  lv2:appliesTo <${uri}> , <${many}> ;
  rdfs:seeAlso <presets.ttl> .
")
  string(APPEND presets "<${uri}#preset-${name}>
  a pset:Preset ;
  lv2:appliesTo <${uri}> , <${many}> ;
  rdfs:label \"${first}${rest}\"${ports} ;
  state:state [ <${uri}#instrument> <instruments/${name}.json> ] .

")
endforeach()

set(ports "")
foreach(macro RANGE 1 8)
  math(EXPR index "${macro} + 6")
  string(APPEND ports " , [
    a lv2:InputPort , lv2:ControlPort ;
    lv2:index ${index} ; lv2:symbol \"macro${macro}\" ; lv2:name \"Macro ${macro}\" ;
    lv2:default 0.0 ; lv2:minimum 0.0 ; lv2:maximum 1.0
  ]")
endforeach()
set(points "[ rdfs:label \"off\" ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> 0 ]")
set(value 1)
foreach(label "macro 1" "macro 2" "macro 3" "macro 4" "macro 5" "macro 6" "macro 7" "macro 8" gain "forget all")
  string(APPEND points " ,\n      [ rdfs:label \"${label}\" ; <http://www.w3.org/1999/02/22-rdf-syntax-ns#value> ${value} ]")
  math(EXPR value "${value} + 1")
endforeach()
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+)\\.([0-9]+).*" "\\2" minor ${VERSION})
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+)\\.([0-9]+).*" "\\3" micro ${VERSION})
set(heddle "${prefixes}<${uri}#instrument>
  a lv2:Parameter ;
  rdfs:label \"Instrument\" ;
  rdfs:comment \"A file that describes an instrument: bodies joined by springs.\" ;
  rdfs:range atom:Path .

<${uri}#ui>
  a ui:X11UI ;
  lv2:requiredFeature ui:idleInterface , ui:parent , <http://lv2plug.in/ns/ext/instance-access> ;
  lv2:optionalFeature ui:resize , ui:noUserResize ;
  lv2:extensionData ui:idleInterface .

<${uri}>
  a lv2:Plugin , lv2:InstrumentPlugin , doap:Project ;
  doap:name \"Heddle Synth\" ;
  doap:shortdesc \"Masses joined by springs, struck, plucked, bowed and heard\" ;
  doap:license <http://opensource.org/licenses/MIT> ;
  doap:maintainer [ foaf:name \"Heddle\" ] ;
  lv2:minorVersion ${minor} ;
  lv2:microVersion ${micro} ;
  lv2:requiredFeature urid:map ;
  lv2:optionalFeature lv2:hardRTCapable , log:log , work:schedule , state:threadSafeRestore , state:mapPath , state:freePath ;
  lv2:extensionData state:interface , work:interface ;
  patch:writable <${uri}#instrument> ;
  ui:ui <${uri}#ui> ;
  lv2:port [
    a lv2:InputPort , atom:AtomPort ;
    atom:bufferType atom:Sequence ;
    atom:supports midi:MidiEvent , patch:Message , time:Position ;
    rsz:minimumSize 8192 ;
    lv2:designation lv2:control ;
    lv2:index 0 ; lv2:symbol \"control\" ; lv2:name \"Control\"
  ] , [
    a lv2:OutputPort , atom:AtomPort ;
    atom:bufferType atom:Sequence ;
    atom:supports patch:Message ;
    rsz:minimumSize 8192 ;
    lv2:designation lv2:control ;
    lv2:index 1 ; lv2:symbol \"notify\" ; lv2:name \"Notify\"
  ] , [
    a lv2:OutputPort , lv2:AudioPort ;
    lv2:index 2 ; lv2:symbol \"left\" ; lv2:name \"Left\"
  ] , [
    a lv2:OutputPort , lv2:AudioPort ;
    lv2:index 3 ; lv2:symbol \"right\" ; lv2:name \"Right\"
  ] , [
    a lv2:OutputPort , lv2:ControlPort ;
    lv2:designation lv2:latency ;
    lv2:portProperty lv2:reportsLatency , lv2:integer , pprops:notOnGUI ;
    units:unit units:frame ;
    lv2:index 4 ; lv2:symbol \"latency\" ; lv2:name \"Latency\" ;
    lv2:default 0 ; lv2:minimum 0 ; lv2:maximum 8192
  ] , [
    a lv2:InputPort , lv2:AudioPort ;
    lv2:portProperty lv2:connectionOptional ;
    lv2:index 5 ; lv2:symbol \"in_left\" ; lv2:name \"In left\"
  ] , [
    a lv2:InputPort , lv2:AudioPort ;
    lv2:portProperty lv2:connectionOptional ;
    lv2:index 6 ; lv2:symbol \"in_right\" ; lv2:name \"In right\"
  ]${ports} , [
    a lv2:InputPort , lv2:ControlPort ;
    units:unit units:db ;
    lv2:index 15 ; lv2:symbol \"gain\" ; lv2:name \"Gain\" ;
    lv2:default 0.0 ; lv2:minimum -60.0 ; lv2:maximum 12.0
  ] , [
    a lv2:InputPort , lv2:ControlPort ;
    lv2:portProperty lv2:integer , lv2:enumeration ;
    lv2:scalePoint
      ${points} ;
    lv2:index 16 ; lv2:symbol \"learn\" ; lv2:name \"Learn MIDI\" ;
    lv2:default 0 ; lv2:minimum 0 ; lv2:maximum 10
  ] .
")
# The plugin with fifty inputs and microphones: the same ports, and more of them.
set(more "")
foreach(channel RANGE 3 50)
  math(EXPR index "${channel} + 14") # MANY_INPUTS of lv2.h is 17
  string(APPEND more " , [
    a lv2:InputPort , lv2:AudioPort ;
    lv2:portProperty lv2:connectionOptional ;
    lv2:index ${index} ; lv2:symbol \"in_${channel}\" ; lv2:name \"In ${channel}\"
  ]")
endforeach()
foreach(microphone RANGE 1 50)
  foreach(side left right)
    math(EXPR index "${index} + 1")
    string(APPEND more " , [
    a lv2:OutputPort , lv2:AudioPort ;
    lv2:index ${index} ; lv2:symbol \"microphone_${microphone}_${side}\" ; lv2:name \"Microphone ${microphone} ${side}\"
  ]")
  endforeach()
endforeach()
string(FIND "${heddle}" "<${uri}>\n  a lv2:Plugin" begin)
string(SUBSTRING "${heddle}" ${begin} -1 many_plugin)
string(REPLACE "<${uri}>\n" "<${many}>\n" many_plugin "${many_plugin}")
string(REPLACE "doap:name \"Heddle Synth\"" "doap:name \"Heddle Synth (50 in, 50 out)\"" many_plugin "${many_plugin}")
string(REGEX REPLACE "\n  \\] \\.\n$" "\n  ]${more} .\n" many_plugin "${many_plugin}")
set(many "${prefixes}${many_plugin}")

foreach(file manifest heddle many presets)
  file(WRITE ${OUT}/${file}.ttl "${${file}}")
endforeach()
file(MAKE_DIRECTORY ${OUT}/instruments)
foreach(file IN LISTS INSTRUMENTS)
  file(COPY ${file} DESTINATION ${OUT}/instruments)
endforeach()
