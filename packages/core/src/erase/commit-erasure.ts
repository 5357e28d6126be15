/** Commits an erasure, in parts that are small enough for other commands to commit in between. */
import type { EraseRequest } from '../api/types/index.ts'
import { contentsMax } from '../decide/erase-uploads.ts'
import type { Engine } from '../engine/engine.ts'
import type { RecordedEvent } from '../events/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { contentId } from '../views/contents.ts'
import type { PlannedUpload } from './find-uploads.ts'
import type { PlannedVersion } from './plan-erasure.ts'

/** The maximum number of versions in one commit, unless more of them share bytes, and of uploads. */
const commitMax = 250

interface Committing {
  readonly request: EraseRequest
  readonly versions: readonly PlannedVersion[]
  readonly uploads: readonly PlannedUpload[]
}

export async function commitErasure(
  { requests, ports }: Engine,
  context: StoreContext,
  { request: { bucket, onProgress, signal }, versions, uploads }: Committing,
): Promise<readonly RecordedEvent[]> {
  const meta = { ...context, requestId: context.requestId ?? ports.ids.next() }
  const events: RecordedEvent[] = []
  const total = versions.length + uploads.length
  let done = 0
  const progress = (count: number): void => {
    done += count
    onProgress?.({ done, total })
  }
  for (const part of commitsOf(versions)) {
    signal?.throwIfAborted()
    const chosen = part.map(({ key, row, isLive }) => ({ key, version: row.seq, removes: isLive }))
    events.push(...(await requests.submit('EraseVersions', { bucket, versions: chosen }, meta)))
    progress(part.length)
  }
  for (let i = 0; i < uploads.length; i += commitMax) {
    const part = uploads.slice(i, i + commitMax)
    const chosen = part.map(({ key, row }) => ({ key, upload: row.seq }))
    // After the first commit none of them is in progress: each further one erases more of what they had.
    for (let isFull = true; isFull; ) {
      signal?.throwIfAborted()
      const added = await requests.submit('EraseUploads', { bucket, uploads: chosen }, meta)
      events.push(...added)
      isFull = added.some(({ type, data }) => type === 'ErasureStarted' && data.contents.length >= contentsMax)
    }
    progress(part.length)
  }
  return events
}

/** Versions that share bytes are in one commit, however many they are: they go together, or not at all. */
function commitsOf(chosen: readonly PlannedVersion[]): readonly (readonly PlannedVersion[])[] {
  const sharing = new Map<string | PlannedVersion, PlannedVersion[]>()
  for (const version of chosen) {
    const id = contentId(version.row.facts.content) ?? version
    const others = sharing.get(id)
    if (others === undefined) sharing.set(id, [version])
    else others.push(version)
  }
  const commits: PlannedVersion[][] = [[]]
  for (const versions of sharing.values()) {
    if ((commits.at(-1)?.length ?? 0) + versions.length > commitMax) commits.push([])
    commits.at(-1)?.push(...versions)
  }
  return commits.filter((commit) => commit.length > 0)
}
