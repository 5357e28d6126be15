/** Tells a person that what they chose was never there, from there being nothing new of it. */
import { type EventFilter, type RecordedEvent, schema, StorageError } from '@varve/core'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from './context.ts'
import { printable } from './printable.ts'

/** Names that are looked through for a near one. */
const namesMax = 10_000

interface Kind {
  readonly what: string
  readonly code: 'InvalidArgument' | 'NoSuchBucket'
  /** What events have of this kind. */
  readonly namesIn: (event: RecordedEvent) => readonly string[]
}

const kinds = {
  by: { what: 'an actor', code: 'InvalidArgument', namesIn: ({ by }) => [by.name, by.id] },
  requestId: { what: 'a request', code: 'InvalidArgument', namesIn: ({ requestId }) => [requestId] },
  bucket: {
    what: 'a bucket',
    code: 'NoSuchBucket',
    namesIn: ({ data }) => ('bucket' in data ? [data.bucket ?? ''] : []),
  },
} as const satisfies Readonly<Partial<Record<keyof EventFilter, Kind>>>

type Chosen = { readonly [K in keyof typeof kinds]?: string | undefined }

/**
 * Call it if nothing matched. It reads the log until it finds each name.
 * @throws StorageError `NoSuchBucket`, `InvalidArgument` for what no event of the log has, with a near name
 */
export async function assertKnown(
  { signal }: CliContext,
  store: Pick<ReachedStore, 'log'>,
  chosen: Chosen,
): Promise<void> {
  for (const [field, kind] of Object.entries(kinds) as [keyof Chosen, Kind][]) {
    const name = chosen[field]
    if (name !== undefined && !(await isThere(store.log({ [field]: name, signal })))) {
      const near = schema.nearestOf(name, await namesIn(store.log({ signal }), kind))
      const suggestion = near === undefined ? '' : ` Did you mean ${printable(near)}?`
      throw new StorageError(kind.code, `The log has no event of ${kind.what} ${printable(name)}.${suggestion}`, {
        details: { [field]: name },
        hint: '`varve log` shows the events, with who caused them and by which request.',
      })
    }
  }
}

async function isThere(events: AsyncIterable<unknown>): Promise<boolean> {
  for await (const _event of events) return true
  return false
}

async function namesIn(events: AsyncIterable<RecordedEvent>, kind: Kind): Promise<readonly string[]> {
  const names = new Set<string>()
  for await (const event of events) {
    for (const name of kind.namesIn(event)) names.add(name)
    if (names.size >= namesMax) break
  }
  return [...names]
}
