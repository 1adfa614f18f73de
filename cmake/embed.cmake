# Embedding of text files as byte arrays, and of the prelude as one flat text for each language.
set(HED_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_script.cmake)

# All generated files of this kind: a dependency of what compiles them in another folder than the one that generates them.
add_custom_target(heddle-embedded)

# hed_embed(OUT name FILES...): generates name.c with `const hed_embedded_file hed_NAME_files[]` for the given files; the texts of
# those whose paths match HED_EMBED_EMPTY are empty.
function(hed_embed out name)
  set(target ${CMAKE_CURRENT_BINARY_DIR}/${name}_files.c)
  add_custom_command(OUTPUT ${target}
    COMMAND ${CMAKE_COMMAND} -DOUT=${target} -DNAME=${name} "-DFILES=${ARGN}" "-DEMPTY=${HED_EMBED_EMPTY}" -P ${HED_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${HED_EMBED_SCRIPT} VERBATIM)
  string(MAKE_C_IDENTIFIER "${target}" unique)
  add_custom_target(embed_${unique} DEPENDS ${target})
  add_dependencies(heddle-embedded embed_${unique})
  set(${out} ${target} PARENT_SCOPE)
endfunction()

# The prelude: src/prelude/heddle.clh with its #include "..." lines replaced by the files.
function(hed_embed_prelude out)
  file(GLOB parts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/prelude/*.clh)
  list(APPEND parts ${CMAKE_SOURCE_DIR}/include/heddle/math.h ${CMAKE_SOURCE_DIR}/include/heddle/tree.h
       ${CMAKE_SOURCE_DIR}/include/heddle/view.h)
  set(target ${CMAKE_CURRENT_BINARY_DIR}/prelude_text.c)
  add_custom_command(OUTPUT ${target}
    COMMAND ${CMAKE_COMMAND} -DOUT=${target} -DPRELUDE=${CMAKE_SOURCE_DIR}/src/prelude/heddle.clh
            -DINCLUDE=${CMAKE_SOURCE_DIR}/include -P ${HED_EMBED_SCRIPT}
    DEPENDS ${parts} ${HED_EMBED_SCRIPT} VERBATIM)
  set(${out} ${target} PARENT_SCOPE)
endfunction()
