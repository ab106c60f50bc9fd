// Starts a worker's Wasm. The page opens `worker-start.js?v=BUILD` under the name of the module that it wants;
// the same mark is passed on, because Trunk does not hash the workers' file names and a browser may hold
// an older pair.
// The post-build hook writes the build's name here, so that the worker can say which build it is.
self.SAMERULER_BUILD = "__BUILD__";
importScripts(`${self.name}.js${self.location.search}`);
wasm_bindgen({ module_or_path: `${self.name}_bg.wasm${self.location.search}` });
