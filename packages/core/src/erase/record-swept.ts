/** Records that somebody wanted bytes erased which a sweep has erased before, so that replicas which keep such bytes remove them too. */
import type { EraseRequest } from '../api/types/index.ts'
import type { Engine } from '../engine/engine.ts'
import type { RecordedEvent } from '../events/index.ts'
import { readLog } from '../events/log.ts'
import type { StoreContext } from '../requests/request-context.ts'
import { placeName } from '../views/content-tables.ts'
import type { SweptBytes, SweptContent } from './swept-bytes.ts'

/** The maximum numbers of contents and of their parts in one commit, unless one version has more parts. */
const contentsMax = 250
const partsMax = 10_000

/**
 * The log of a store that is asked again does not grow: what was requested before is recorded only if a receipt is wanted, which
 * is of the new request.
 */
export async function recordSwept(
  { requests, ports }: Engine,
  context: StoreContext,
  { request, swept }: { readonly request: EraseRequest; readonly swept: Pick<SweptBytes, 'versions' | 'parts'> },
): Promise<readonly RecordedEvent[]> {
  const { bucket, receipt, signal } = request
  const events: RecordedEvent[] = []
  let { requestId } = context
  for (const contents of [swept.versions, swept.parts]) {
    const chosen = receipt === true ? contents : await notRequested(ports, request, contents)
    for (const part of commitsOf(chosen)) {
      signal?.throwIfAborted()
      requestId ??= ports.ids.next()
      events.push(...(await requests.submit('EraseSwept', { bucket, contents: part }, { ...context, requestId })))
    }
  }
  return events
}

/** A request comes after the event that freed the bytes, and the contents that it erases are in the event behind it. */
async function notRequested(
  { journal, hashing }: Engine['ports'],
  { bucket, signal }: EraseRequest,
  contents: readonly SweptContent[],
): Promise<readonly SweptContent[]> {
  if (contents.length === 0) return []
  const from = contents.reduce((first, { erasure }) => Math.min(first, erasure.freedBy), Number.MAX_SAFE_INTEGER)
  const named = new Requested(bucket)
  for await (const { event } of readLog({ journal, hashing }, { from, to: await journal.head() })) {
    signal?.throwIfAborted()
    named.take(event)
  }
  return contents.filter((content) => !named.names.has(nameOf(content)))
}

/** What somebody has had erased in a bucket. */
class Requested {
  readonly names = new Set<string>()
  readonly #bucket: string
  #last: RecordedEvent | undefined

  constructor(bucket: string) {
    this.#bucket = bucket
  }

  take(event: RecordedEvent): void {
    const before = this.#last
    this.#last = event
    if (event.type === 'ErasureRequested' && event.data.bucket === this.#bucket) {
      for (const version of event.data.versions) this.names.add(`version ${version.version}`)
    } else if (event.type === 'ErasureStarted' && before?.type === 'ErasureRequested') {
      if (before.data.bucket !== this.#bucket || before.data.versions.length > 0) return
      for (const place of event.data.contents) this.names.add(nameOf({ erasure: place }))
    }
  }
}

type Named = Pick<SweptContent, 'version'> & { readonly erasure: Pick<SweptContent['erasure'], 'freedBy' | 'index'> }

const nameOf = ({ version, erasure }: Named): string =>
  version === undefined ? `part ${placeName(erasure)}` : `version ${version.version}`

/** Contents that one event freed at one place are in one commit. */
function commitsOf(contents: readonly SweptContent[]): readonly (readonly SweptContent[])[] {
  const commits: SweptContent[][] = []
  let parts = 0
  let isOpen = false
  for (const content of contents) {
    const count = content.erasure.partNumbers?.length ?? 0
    const last = commits.at(-1)
    if (last === undefined || (!isOpen && (last.length >= contentsMax || parts + count > partsMax))) {
      commits.push([content])
      parts = count
    } else {
      last.push(content)
      parts += count
    }
    isOpen = content.erasure.continues === true
  }
  return commits
}
