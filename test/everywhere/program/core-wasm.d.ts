declare module 'shardbits/core.wasm' {
  const core: WebAssembly.Module;
  export default core;
}
