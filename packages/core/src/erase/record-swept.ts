/** Records that somebody wanted bytes erased which a sweep has erased before, so that replicas which keep such bytes remove them too. */
import type { EraseRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { RecordedEvent } from '../events/index.ts'
import { readLog } from '../events/log.ts'
import type { Seq } from '../ports/index.ts'
import type { StoreContext } from '../requests/request-context.ts'
import type { SweptBytes } from './swept-bytes.ts'

type SweptVersions = SweptBytes['versions']

/** The maximum numbers of versions and of their parts in one commit, unless one version has more parts. */
const versionsMax = 250
const partsMax = 10_000

/**
 * The log of a store that is asked again does not grow: what was requested before is recorded only if a receipt is wanted, which
 * is of the new request.
 */
export async function recordSwept(
  { requests, ports }: Engine,
  context: StoreContext,
  { request, versions }: { readonly request: EraseRequest; readonly versions: SweptVersions },
): Promise<readonly RecordedEvent[]> {
  const { bucket, receipt, signal } = request
  const meta = { ...context, requestId: context.requestId ?? ports.ids.next() }
  const events: RecordedEvent[] = []
  const chosen = receipt === true ? versions : await notRequested(ports, request, versions)
  for (const part of commitsOf(chosen)) {
    signal?.throwIfAborted()
    events.push(...(await requests.submit('EraseSwept', { bucket, versions: part }, meta)))
  }
  return events
}

/** A request comes after the removal of the version. */
async function notRequested(
  { journal, hashing }: Engine['ports'],
  { bucket, signal }: EraseRequest,
  versions: SweptVersions,
): Promise<SweptVersions> {
  const left = new Map<Seq, SweptVersions[number]>(versions.map((each) => [each.version.version, each]))
  if (left.size === 0) return []
  const from = versions.reduce((first, { erasure }) => Math.min(first, erasure.freedBy), Number.MAX_SAFE_INTEGER)
  for await (const { event } of readLog({ journal, hashing }, { from, to: await journal.head() })) {
    signal?.throwIfAborted()
    if (event.type !== 'ErasureRequested' || event.data.bucket !== bucket) continue
    for (const { version } of event.data.versions) left.delete(version)
    if (left.size === 0) break
  }
  return [...left.values()]
}

function commitsOf(versions: SweptVersions): readonly SweptVersions[] {
  const commits: SweptVersions[number][][] = []
  let parts = Number.POSITIVE_INFINITY
  for (const version of versions) {
    const count = version.erasure.partNumbers?.length ?? 0
    const last = commits.at(-1)
    if (last === undefined || last.length >= versionsMax || parts + count > partsMax) {
      commits.push([version])
      parts = count
    } else {
      last.push(version)
      parts += count
    }
  }
  return commits
}
