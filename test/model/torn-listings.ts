/** Listings of a history, compared with what the log says that the bucket showed: each shows one moment. */
import { createHash } from 'node:crypto'
import { type Store, versionId } from '@varve/core'
import { etagOf, type History, partedEtagOf, type SeenListing, type Shown } from './history.ts'

/** What the bucket showed after one event. */
interface View {
  readonly objects: string
  /** By key. */
  readonly versions: ReadonlyMap<string, string>
}

/** The log is the order in which everything happened. */
interface Steps {
  readonly views: readonly View[]
  /** The number of the view from which on the bucket had a version with an ETag. */
  readonly firsts: ReadonlyMap<string, number>
}

const nothing = viewOf([])

/** @param from The position where the history began. */
async function stepsOf(store: Pick<Store, 'log'>, bucket: string, from: number): Promise<Steps> {
  /** By key, newest first. */
  const versions = new Map<string, readonly Shown[]>()
  const firsts = new Map<string, number>()
  const views: View[] = [{ objects: nothing, versions: new Map() }]
  for await (const { seq, epoch, type, data } of store.log({ from })) {
    if (!('key' in data) || data.bucket !== bucket) continue
    const before = versions.get(data.key) ?? []
    if ('nullVersion' in data) {
      const id = versionId({ seq, epoch, nullVersion: data.nullVersion })
      const etag = 'etag' in data ? data.etag : 'marker'
      if (!firsts.has(etag)) firsts.set(etag, views.length)
      versions.set(data.key, [[data.key, id, etag], ...before.filter(([, other]) => other !== id || id !== 'null')])
    } else if (type === 'VersionRemoved') {
      if (before.length > 1) throw new Error('Nothing of a history removes one version of several.')
      versions.set(data.key, [])
    } else continue
    const ofKeys = new Map(views.at(-1)?.versions).set(data.key, viewOf(versions.get(data.key) ?? []))
    views.push({ objects: viewOf(objectsOf(versions)), versions: ofKeys })
  }
  return { views, firsts }
}

const objectsOf = (versions: ReadonlyMap<string, readonly Shown[]>): readonly Shown[] =>
  [...versions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, [newest]]): readonly Shown[] => {
      const etag = newest?.[2] ?? 'marker'
      return etag === 'marker' ? [] : [[key, etag]]
    })

function viewOf(shown: readonly Shown[]): string {
  return createHash('md5').update(JSON.stringify(shown)).digest('hex')
}

/**
 * The first torn listing: it does not show the bucket as it was after any one event. The possible events are those from
 * the last write that had returned when the listing was requested to the first write that was not yet called when it
 * returned.
 */
export async function tornListing(
  store: Pick<Store, 'log'>,
  { bucket, operations, listings }: History,
  from = 1,
): Promise<SeenListing | undefined> {
  const { views, firsts } = await stepsOf(store, bucket, from)
  const writes = operations.flatMap(({ value, isCopy, called, returned, answer }) => {
    if (value === undefined || isCopy === true) return []
    const first = firsts.get(etagOf(value)) ?? firsts.get(partedEtagOf(value))
    return first === undefined ? [] : [{ called, returned: answer === undefined ? Infinity : returned, first }]
  })
  return listings.find(({ shown, versionsOf, called, returned }) => {
    const before = writes.filter((write) => write.returned < called).map(({ first }) => first)
    const after = writes.filter((write) => write.called > returned).map(({ first }) => first)
    const seen = viewOf(shown)
    return !views
      .slice(Math.max(0, ...before), Math.min(views.length, ...after))
      .some((view) => seen === (versionsOf === undefined ? view.objects : (view.versions.get(versionsOf) ?? nothing)))
  })
}
