declare module '*/core.wasm' {
  const core: WebAssembly.Module;
  export default core;
}
