/**
 * Floors by name, with descriptions for people. Their code is in child/floor-exercises.ts and http/floor-servers.ts.
 */
export const floorTitles: Readonly<Record<string, string>> = {
  files: 'a file each: write, fsync, rename, fsync of the directory; fs.readFile',
  'append-log': 'bare append log, one fdatasync a group',
  'raw-level': 'raw LevelDB, one synced batch a group; two getSync; a scan of rows',
  'raw-level-relaxed': 'raw LevelDB, batches not synced',
  'raw-scan': 'raw LevelDB, a scan of as many rows',
  'raw-scan-all': 'raw LevelDB, a scan of all rows',
  'raw-seeks': 'raw LevelDB, a seek for each prefix',
  'raw-open': 'raw LevelDB of as many rows, opened',
  'files-removed': 'as many files removed, each with an fsync of the directory',
  'put-64': 'a durable put of 64 bytes, layout level+files',
  'node-http': 'node:http from memory, no signatures',
  'node-files': 'node:http over synced files, no signatures',
}
