/** Right arguments of the calls for archives. */
import { signal } from './common-arguments.ts'

export const archiveEntries = {
  // The call puts a store in the place of null.
  exportArchive: () => [
    null,
    'written',
    { bucket: 'box', at: 2, withHistory: true, from: 1, to: 2, overwrite: true, ...signal() },
  ],
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
  verifyArchive: () => ['there', { onProgress: () => undefined, ...signal() }],
}
