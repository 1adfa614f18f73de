# Toolchain for WebAssembly: clang of LLVM 19 or newer, which knows relaxed SIMD, with the C library of Debian's emscripten. Emscripten's
# own compiler and JavaScript are not used. The preset `wasm` uses this file.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_C_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_SYSROOT /usr/share/emscripten/cache/sysroot)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
