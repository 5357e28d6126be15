/** The positions of webhooks: in files of a directory, and at addresses in the journal. */
import { type Hashing, JobPlaces, type Journal } from '@varve/core'
import { fileCursor, sharedCursor } from '../webhooks/cursor.ts'
import type { Webhook } from '../webhooks/webhook.ts'

interface Ends {
  readonly dir: string
  readonly into: Journal
  readonly hashing: Hashing
}

/** What is delivered meanwhile is delivered again. */
export async function bringCursors(webhooks: readonly Webhook[], { dir, into, hashing }: Ends): Promise<void> {
  const places = new JobPlaces({ journal: into, hashing })
  const end = await into.head()
  for (const { arn } of webhooks) {
    const seq = await fileCursor(dir, arn).read(end)
    await sharedCursor({ places }, `delivery ${arn}`).write(Math.min(seq, end))
  }
}
