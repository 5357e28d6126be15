/** Chooses events of the log: for the log itself, for subscriptions and for all who read it from outside. */
import type { EventType, RecordedEvent } from '../events/index.ts'

/** Which events are meant. An event must match all fields that are present. */
export interface EventFilter {
  /** Only events of buckets with this name, also of deleted ones. */
  readonly bucket?: string
  /** Only events of keys that begin with this. Needs `bucket`. */
  readonly prefix?: string
  /** Only events that the actor with this id, or with this name, caused. */
  readonly by?: string
  /** Only events of these types. At least one. */
  readonly types?: readonly EventType[]
  /** Only events of the request with this id. */
  readonly requestId?: string
}

type EventPredicate = (event: RecordedEvent) => boolean

/** Whether an event matches a filter. */
export function eventFilter(filter: EventFilter): EventPredicate {
  const tests = testsOf(filter)
  const [first, second] = tests
  if (first === undefined) return () => true
  return second === undefined ? first : (event) => tests.every((test) => test(event))
}

/** The tests of the fields that are present, the cheapest first. */
function testsOf({ bucket, prefix, by, types, requestId }: EventFilter): readonly EventPredicate[] {
  const tests: EventPredicate[] = []
  if (types !== undefined) {
    const known: ReadonlySet<string> = new Set(types)
    tests.push(({ type }) => known.has(type))
  }
  if (by !== undefined) tests.push((event) => event.by.id === by || event.by.name === by)
  if (requestId !== undefined) tests.push((event) => event.requestId === requestId)
  if (bucket !== undefined) tests.push(({ data }) => 'bucket' in data && data.bucket === bucket)
  if (prefix !== undefined) tests.push(({ data }) => 'key' in data && data.key.startsWith(prefix))
  return tests
}

const fields = ['bucket', 'prefix', 'by', 'types', 'requestId'] as const

/** The filter without other fields, in one form: equal filters give the same JSON. */
export function plainFilter(given: EventFilter): EventFilter {
  const present = fields.filter((field) => given[field] !== undefined)
  return Object.fromEntries(
    present.map((field) => [field, field === 'types' ? [...new Set(given.types)].sort() : given[field]]),
  )
}
