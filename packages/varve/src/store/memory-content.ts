/** What a store in memory consists of. It can be opened, and forked while it is open. */
import { randomBytes } from 'node:crypto'
import { type MemoryBlobMedium, memoryBlobs, memoryJournal, type MemoryMedium, memoryMedium } from '@varve/adapters'
import { type Clock, type LogSigner, ownPort, type Store, type Tip } from '@varve/core'
import { memoryLogSigner } from '../files/log-signer.ts'
import { memoryKeySecrets } from '../files/memory-key-secrets.ts'
import { openOnParts } from './open-on-parts.ts'
import type { MemoryStoreOptions } from './store-options.ts'

const secretBytes = 32

export interface MemoryContent {
  readonly rows: MemoryMedium
  readonly blobs: MemoryBlobMedium
  /** Makes the ids of uploads: a fork has the uploads of its template under the same ids. */
  readonly secret: Uint8Array
  /** The secrets of access keys, by their ids. */
  readonly keySecrets: Map<string, string>
  /** Signs checkpoints of the log. A fork is another log, so it has another key. */
  readonly signer: LogSigner
  /** The end of the log. An opening checks no events before it: they never were in a file. */
  tip: Tip | undefined
}

export const emptyContent = (): MemoryContent => ({
  rows: memoryMedium(),
  blobs: new Map(),
  secret: new Uint8Array(randomBytes(secretBytes)),
  keySecrets: new Map(),
  signer: newSigner(),
  tip: undefined,
})

/**
 * The committed content as of now, which then changes on its own. Both are taken in one step: a blob is there before the
 * commit that names it, and is deleted after the commit that gives it up.
 */
export const forkContent = ({ rows, blobs, secret, keySecrets, tip }: MemoryContent): MemoryContent => ({
  rows: rows.fork(),
  blobs: new Map(blobs),
  secret,
  keySecrets: new Map(keySecrets),
  signer: newSigner(),
  tip,
})

const newSigner = (): LogSigner => memoryLogSigner(randomBytes(16).toString('hex'))

/** The options were checked. The content stays when the store is closed. */
export async function openContent(
  content: MemoryContent,
  options: MemoryStoreOptions,
  testClock?: Clock,
): Promise<Store> {
  const journal = ownPort(await memoryJournal(content.rows, { exclusive: true }))
  const blobs = ownPort(memoryBlobs(content.blobs))
  return openOnParts(
    {
      journal,
      blobs,
      secret: { read: async () => content.secret },
      secrets: memoryKeySecrets(content.keySecrets, content.secret),
      signer: content.signer,
    },
    { ...options, hashingThreads: 0 },
    {
      budgetBytes: 64 * 1024 ** 2,
      witness: {
        read: async () => content.tip,
        async write(tip) {
          content.tip = tip
        },
      },
      ...(testClock && { testClock }),
      async closeParts() {
        await journal.close()
        await blobs.close()
      },
    },
  )
}
