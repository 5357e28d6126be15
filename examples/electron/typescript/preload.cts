/** The bridge of the page. Sandboxed preloads are CommonJS. */
import electron = require('electron')
import type { Channel, Notes } from './bridge.js' with { 'resolution-mode': 'import' }

const { contextBridge, ipcRenderer } = electron
const invoke = (channel: Channel, ...given: readonly string[]) => ipcRenderer.invoke(channel, ...given)

const notes: Notes = {
  list: () => invoke('list'),
  read: (key) => invoke('read', key),
  save: (key, text) => invoke('save', key, text),
  undo: () => invoke('undo'),
}

contextBridge.exposeInMainWorld('notes', notes)
