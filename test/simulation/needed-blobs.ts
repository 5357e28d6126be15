/** Which blobs a store needs: those of versions now, in snapshots and where forks began, and of parts that are there. What else is on the disk is a leak. */
import type { Content, RecordedEvent } from '@varve/core'
import { type ModelState, statesOfForks } from '@varve/core/model'

export function neededBlobs(events: readonly RecordedEvent[], state: ModelState): ReadonlySet<string> {
  const contents = new Map<string, Content>()
  /** The newest of each upload's parts, by upload and number. */
  const parts = new Map<number, Map<number, Content>>()
  const uploads = new Map<string, number>()
  for (const { requestId, seq, type, data } of events) {
    if (type === 'UploadStarted') uploads.set(requestId, seq)
    if (type === 'VersionAdded' || type === 'UploadCompleted') contents.set(nameOf(requestId, data), data.content)
    if (type === 'PartAdded') partsOf(parts, data.upload).set(data.partNumber, data.content)
    if (type === 'UploadCompleted') for (const unused of data.unused) partsOf(parts, data.upload).delete(unused)
  }
  const needed = new Set<string>()
  const need = (content: Content | undefined) => {
    if (content?.kind === 'blob' && !content.blob.inline) needed.add(content.blob.id)
    if (content?.kind === 'parts') for (const part of partsOf(parts, content.upload).values()) need(part)
  }
  const named = [state, ...state.snapshots.values()]
  for (const name of [...named, ...statesOfForks(named)].flatMap(objectsIn)) need(contents.get(name))
  for (const content of cameBack(events, state)) need(content)
  for (const bucket of state.buckets.values()) {
    for (const name of bucket.uploads.keys()) need({ kind: 'parts', upload: uploads.get(name) as number })
  }
  return needed
}

/** Contents that came back after the position of a snapshot or a fork, and were there before: that keeps them too. */
function cameBack(events: readonly RecordedEvent[], state: ModelState): readonly Content[] {
  const positions = new Map(
    events.flatMap((event) => (event.type === 'SnapshotCreated' ? [[event.data.name, event.seq]] : [])),
  )
  const forked = events.flatMap(({ type, seq }) => (type === 'BucketForked' ? [seq] : []))
  const kept = [...[...state.snapshots.keys()].map((name) => positions.get(name) as number), ...forked]
  const first = new Map<string, number>()
  const found: Content[] = []
  const added = new Map<number, Content>()
  for (const { seq, type, data } of events) {
    if (type === 'VersionRestored') {
      const content = added.get(data.version)
      if (content !== undefined && kept.some((position) => data.version <= position && position < seq))
        found.push(content)
    }
    if (type !== 'VersionAdded' && type !== 'UploadCompleted') continue
    added.set(seq, data.content)
    const name = JSON.stringify(data.content)
    const since = first.get(name)
    if (since === undefined) first.set(name, seq)
    else if (kept.some((position) => since <= position && position < seq)) found.push(data.content)
  }
  return found
}

const objectsIn = ({ buckets }: ModelState): readonly string[] =>
  [...buckets.values()]
    .flatMap(({ keys }) => [...keys.values()].flat())
    .flatMap(({ name, object }) => (object === undefined ? [] : [name]))

/** A restore gives each of its versions a name of its own. */
const nameOf = (requestId: string, data: { readonly key: string; readonly cause?: unknown }): string =>
  data.cause === undefined ? requestId : `${requestId} ${data.key}`

function partsOf(parts: Map<number, Map<number, Content>>, upload: number): Map<number, Content> {
  const found = parts.get(upload) ?? new Map<number, Content>()
  parts.set(upload, found)
  return found
}
