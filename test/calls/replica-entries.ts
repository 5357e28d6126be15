/** Right arguments of the calls for replicas. There is none, so each is refused. */
export const replicaEntries = {
  restoreStore: () => ['copy', 'again', { at: 4, layout: 'level+files', onProgress: () => undefined }],
  inspectReplica: () => ['copy'],
  verifyReplica: () => ['copy', { blobs: 'read', sample: 0.5, onProgress: () => undefined }],
}
