/** Right arguments of the calls for archives. */
import { signal } from './common-arguments.ts'

export const archiveEntries = {
  // The call puts a store in the place of null.
  exportArchive: () => [
    null,
    'written',
    { bucket: 'box', at: 2, withHistory: true, from: 1, to: 2, overwrite: true, ...signal() },
  ],
  // The call puts a store in the place of null.
  exportStore: () => [null, 'written', { at: 2, overwrite: true, onProgress: () => undefined, ...signal() }],
  importStore: () => ['store', 'new', { at: 2, layout: 'level+files', verify: true, ...signal() }],
  importArchive: () => [
    null,
    'there',
    { bucket: 'box', at: 2, onConflict: 'skip', withAccess: true, verify: false, ...signal() },
  ],
  importFolder: () => [
    null,
    '.',
    { bucket: 'box', prefix: 'in/', onConflict: 'skip', onLeftOut: () => undefined, ...signal() },
  ],
  importS3: () => [
    null,
    {
      bucket: 'box',
      endpoint: 'http://127.0.0.1:1',
      region: 'eu',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
      retries: 0,
      timeoutMs: 1000,
    },
    { bucket: 'box', prefix: 'in/', history: false, onConflict: 'skip', ...signal() },
  ],
  verifyArchive: () => ['there', { onProgress: () => undefined, ...signal() }],
}
