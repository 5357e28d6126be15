/** Right arguments of calls that take paths. */
export const pathEntries = {
  // There is no replica, so each of these is refused.
  restoreStore: () => ['copy', 'again', { at: 4, layout: 'level+files', onProgress: () => undefined }],
  // There is no store either.
  backUpStore: () => ['store', 'copy', { link: false, layout: 'level+files', onProgress: () => undefined }],
  inspectReplica: () => ['copy'],
  verifyReplica: () => ['copy', { blobs: 'read', sample: 0.5, onProgress: () => undefined }],
  loadKeyringFile: () => ['there'],
  loadWebhookFile: () => ['there'],
  loadIdentityFile: () => ['there'],
  ensureRootCredentials: () => ['new'],
  file: () => ['read'],
}
