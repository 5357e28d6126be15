/**
 * Is a concurrent history of one key linearizable: did every operation take effect at one moment between its call and its
 * return? The search of Wing and Gong, along the time line as Lowe does it: it keeps every configuration (a value, and which
 * of the open operations have taken effect) that explains what has returned so far. None left: no.
 */

/** A value is the name of the command that wrote it; `undefined` while the key has no object. */
export type Value = string | undefined

export interface Operation {
  readonly client: number
  readonly key: string
  readonly kind: 'put' | 'create' | 'replace' | 'delete' | 'get'
  /** What it writes. */
  readonly value?: string
  /** `replace`: what is there must be this. */
  readonly expected?: string
  /** `ok`, a code, or what was read; absent when the outcome is unknown: it may have taken effect at any time since, or never. */
  readonly answer?: string
  /** The value was written before, to another key. */
  readonly isCopy?: boolean
  /** Moments of one clock for all clients. */
  readonly called: number
  readonly returned: number
}

interface Configuration {
  readonly value: Value
  /** Open operations that have taken effect. */
  readonly done: ReadonlySet<Operation>
}

/** What an operation does to a key that has a value, and answers. */
function take({ kind, value, expected }: Operation, now: Value): { readonly next: Value; readonly answer: string } {
  switch (kind) {
    case 'put':
      return { next: value, answer: 'ok' }
    case 'create':
      return now === undefined ? { next: value, answer: 'ok' } : { next: now, answer: 'PreconditionFailed' }
    case 'replace':
      if (now === undefined) return { next: now, answer: 'NoSuchKey' }
      return now === expected ? { next: value, answer: 'ok' } : { next: now, answer: 'PreconditionFailed' }
    case 'delete':
      return { next: undefined, answer: 'ok' }
    case 'get':
      return { next: now, answer: now ?? 'NoSuchKey' }
  }
}

/** The first operation that nothing explains, or `undefined` when the history of this key is linearizable. */
export function unexplained(history: readonly Operation[]): Operation | undefined {
  const events = history.flatMap((operation) => [
    { at: operation.called, operation, returns: false },
    ...(operation.answer === undefined ? [] : [{ at: operation.returned, operation, returns: true }]),
  ])
  events.sort((a, b) => a.at - b.at)
  const open = new Set<Operation>()
  let configurations: readonly Configuration[] = [{ value: undefined, done: new Set() }]
  for (const { operation, returns } of events) {
    open.add(operation)
    if (!returns) continue
    configurations = untilDone(configurations, operation, open)
    if (configurations.length === 0) return operation
    open.delete(operation)
  }
  return undefined
}

/** The ways in which `operation`, which returns now, has taken effect: alone, or after others that are open. */
function untilDone(
  starts: readonly Configuration[],
  operation: Operation,
  open: ReadonlySet<Operation>,
): readonly Configuration[] {
  const [reached, found] = [new Frontier(), new Frontier()]
  for (const start of starts) reached.add(start)
  // It grows while it is walked: what took fewest steps comes first.
  for (const { value, done } of reached.all) {
    if (done.has(operation)) {
      const rest = new Set(done)
      rest.delete(operation)
      found.add({ value, done: rest })
      continue
    }
    for (const next of open) {
      if (done.has(next)) continue
      const effect = take(next, value)
      if (next.answer !== undefined && next.answer !== effect.answer) continue
      reached.add({ value: effect.next, done: new Set(done).add(next) })
    }
  }
  return found.all
}

/**
 * Configurations without those that another makes needless: one that is alike but for more operations of unknown outcome
 * having taken effect can explain nothing more, since what has not happened yet may still happen, or never.
 */
class Frontier {
  readonly all: Configuration[] = []
  readonly #lost = new Map<string, ReadonlySet<Operation>[]>()

  add(configuration: Configuration): void {
    const done = [...configuration.done]
    // A client does one operation at a time, so the moment of its call identifies an operation.
    const heard = done.flatMap(({ answer, called }) => (answer === undefined ? [] : [called]))
    const name = [configuration.value, ...heard.sort((a, b) => a - b)].join(' ')
    const lost = new Set(done.filter(({ answer }) => answer === undefined))
    const alike = this.#lost.get(name) ?? []
    if (alike.some((fewer) => [...fewer].every((operation) => lost.has(operation)))) return
    this.#lost.set(name, [...alike, lost])
    this.all.push(configuration)
  }
}
