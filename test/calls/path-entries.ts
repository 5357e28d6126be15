/** Right arguments of calls that take paths. */
import { createKeyring } from 'varve'

const aKeyring = () => createKeyring({ master: [Buffer.alloc(32, 1).toString('base64')] })

export const pathEntries = {
  // There is no replica, so each of these is refused.
  restoreStore: () => [
    'copy',
    'again',
    { at: 4, layout: 'level+files', instant: true, keyring: aKeyring(), onProgress: () => undefined },
  ],
  // There is no store either.
  backUpStore: () => ['store', 'copy', { link: false, layout: 'level+files', onProgress: () => undefined }],
  inspectReplica: () => ['copy', { keyring: aKeyring() }],
  verifyReplica: () => ['copy', { blobs: 'read', sample: 0.5, keyring: aKeyring(), onProgress: () => undefined }],
  loadKeyringFile: () => ['there'],
  loadWebhookFile: () => ['there'],
  loadIdentityFile: () => ['there'],
  ensureRootCredentials: () => ['new'],
  file: () => ['read'],
}
