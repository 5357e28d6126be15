/** All that the page gets beside the web: it can drag an object out of the window. Sandboxed preloads are CommonJS. */
const { contextBridge, ipcRenderer } = require('electron')

contextBridge.exposeInMainWorld('shelf', {
  dragOut: (bucket, key) => ipcRenderer.send('drag-out', String(bucket), String(key)),
})
