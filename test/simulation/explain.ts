/**
 * Is there one order that explains all that clients saw? The log gives the order of the commands that took effect, and
 * the model gives the state after each. Every answer must fit one of those states. It may not be a state from before an
 * operation that was already acknowledged when the request was sent, or a state that a crash has since undone.
 */
import type { RecordedEvent } from '@varve/core'
import {
  answering,
  apply,
  emptyState,
  findObject,
  listObjects,
  listVersions,
  type ModelAnswer,
  type ModelCommand,
  type ModelState,
  refOf,
  restoreObjects,
  versionsOf,
  withVersions,
} from '@varve/core/model'
import type { Bindings } from '../model/bindings.ts'
import { commandsIn, type Group, isMark, isParted, keysOf, problemsOfEnded } from './parted.ts'
import type { Answer, Operation, Shown } from './run.ts'
import type { EraseStep, ReadStep, RestoreStep, Step, UndoStep } from './scenario.ts'

/** The outcome is not known before the store is opened again: either will do. */
const unknown: ReadonlySet<string> = new Set(['StoreFailed', 'JournalFailed', 'JournalClosed'])

/** On a machine where something fails, the engine may refuse what the model allows. */
const excuses: ReadonlySet<string> = new Set(['BlobFailed', 'NoSpace', 'TooManyOpenFiles'])

export interface History {
  readonly events: readonly RecordedEvent[]
  readonly operations: readonly Operation[]
  readonly bindings: Bindings
  /** Something on the machine failed. */
  readonly faulted: boolean
}

export interface Explanation {
  /** After the last command in the log. */
  readonly state: ModelState
  readonly problems: readonly string[]
}

export function explain(history: History): Explanation {
  const explainer = new Explainer(history)
  explainer.followLog()
  for (const operation of history.operations) explainer.check(operation)
  return { state: explainer.last, problems: explainer.problems }
}

class Explainer {
  readonly problems: string[] = []
  readonly #history: History
  /** The state before the first command, and after each. */
  readonly #states: ModelState[] = [emptyState]
  readonly #placeOf = new Map<string, number>()
  /** The state before each command, by the position that it follows. */
  readonly #behind = new Map<number, ModelState>()

  constructor(history: History) {
    this.#history = history
  }

  get last(): ModelState {
    return this.#states.at(-1) as ModelState
  }

  /** All events of a command stand together; each command is one the model allows in its place. Work in parts may have others between. */
  followLog(): void {
    const issued = new Map(this.#history.operations.map((operation) => [operation.step.name, operation]))
    for (const group of commandsIn(this.#history.events)) {
      const [event] = group
      const name = event.requestId
      this.#behind.set(event.seq - 1, this.last)
      const operation = issued.get(name)
      if (operation === undefined || (this.#placeOf.has(name) && !isParted(operation.step))) {
        this.problems.push(`event ${event.seq} is of ${name}, a command that was not given or is torn`)
      } else if (operation.step.type === 'erase') {
        // What a client sees now does not change.
        this.#states.push(this.last)
        this.#placeOf.set(name, this.#states.length - 1)
      } else if (operation.step.type === 'restore') {
        this.#placeRestore(group, operation, operation.step)
      } else if (operation.step.type === 'undo') {
        this.#placeUndo(group, operation, operation.step)
      } else {
        this.#place(operation, event)
      }
    }
  }

  /** Real time: no operation takes effect before one that was acknowledged when it was requested. */
  check(operation: Operation): void {
    const { step, answer } = operation
    const floor = this.#floorOf(operation)
    const place = this.#placeOf.get(step.name)
    if (place !== undefined && place <= floor) {
      this.problems.push(`${step.name} took effect before what was acknowledged before it`)
    }
    if (place !== undefined || answer === undefined) return
    if (!this.#states.slice(floor).some((state) => this.#fits(operation, state))) {
      this.problems.push(`${step.name} ${step.type} answered ${JSON.stringify(answer)}, which no order explains`)
    }
  }

  #place(operation: Operation, event: RecordedEvent): void {
    const { step, answer: reported } = operation
    const { state, answer } = apply(this.last, this.#asDone(operation, event))
    if ('error' in answer || state === this.last) {
      this.problems.push(`${step.name} is in the log, where the model says ${JSON.stringify(answer)}`)
    } else if (reported !== undefined && !this.#mayBeUnknown(reported) && !same(reported, answer)) {
      this.problems.push(`${step.name} answered ${JSON.stringify(reported)}, and the model ${JSON.stringify(answer)}`)
    }
    this.#states.push(state)
    this.#placeOf.set(step.name, this.#states.length - 1)
  }

  /** The model restores what the log has of the restore: other keys were changed meanwhile, or their bytes are gone. */
  #placeRestore(group: Group, operation: Operation, { name, bucket, to }: RestoreStep): void {
    let state = this.last
    for (const key of keysOf(group)) {
      const next = restoreObjects(state, { name, bucket, prefix: key, past: this.#behind.get(to) as ModelState })
      if (next === state) this.problems.push(`${name} changed ${key}, where the model has nothing to restore`)
      state = next
    }
    this.#checkKeys(operation, (keys) => ({ restored: keys }))
    if (group.at(-1)?.type === 'TaskEnded') {
      const stateAt = (seq: number) => this.#behind.get(seq)
      this.problems.push(...problemsOfEnded(this.#history.events, { name, bucket, to }, stateAt))
    }
    this.#states.push(state)
    this.#placeOf.set(name, this.#states.length - 1)
  }

  /** Its answer names all keys that it changed. */
  #checkKeys(operation: Operation, expected: (keys: readonly string[]) => object): void {
    const { name } = operation.step
    const { answer } = operation
    const keys = keysOf(this.#history.events.filter(({ requestId }) => requestId === name))
    if (answer === undefined || this.#isOpen(operation) || same(answer, expected(keys))) return
    this.problems.push(`${name} answered ${JSON.stringify(answer)}, and the log has ${keys.join(', ')}`)
  }

  /** What the log has of the undo is as it was before the step that is undone. */
  #placeUndo(group: Group, operation: Operation, { name, of }: UndoStep): void {
    const { events } = this.#history
    let { buckets } = this.last
    for (const event of group) {
      if (isMark(event)) continue
      const place = placeOf(event)
      const undone = events.find((each) => each.requestId === of && isSame(placeOf(each), place))
      if (undone === undefined) this.problems.push(`${name} made event ${event.seq}, which ${of} gave no reason for`)
      const before = this.#behind.get((undone?.seq ?? 1) - 1) as ModelState
      buckets = asBefore({ ...this.last, buckets }, before, place)
    }
    this.#checkKeys(operation, (keys) => ({ undone: keys }))
    this.#states.push({ ...this.last, time: this.last.time + 1, buckets })
    this.#placeOf.set(name, this.#states.length - 1)
  }

  /** A copy uses the version that was its source when it was requested, even if that is no longer the newest. */
  #asDone(operation: Operation, event: RecordedEvent): ModelCommand {
    const command = operation.step as ModelCommand
    if (command.type !== 'copyObject' || command.from.version !== undefined) return command
    const { bucket, key } = command.from
    const copied = event.type === 'VersionAdded' ? event.data.copiedFrom?.version : undefined
    const source = this.#history.events.find(({ seq }) => seq === copied)?.requestId
    const newestIn = (state: ModelState) => answering(() => findObject(state, bucket, key))
    const isNewest = (state: ModelState) => {
      const newest = newestIn(state)
      return 'ok' in newest && newest.ok.name === source
    }
    if (isNewest(this.last)) return command
    if (!this.#states.slice(this.#floorOf(operation)).some(isNewest)) {
      this.problems.push(`${command.name} copied what was not the newest version at any time since it was asked to`)
    }
    const version = this.last.buckets
      .get(bucket)
      ?.keys.get(key)
      ?.find(({ name }) => name === source)
    return { ...command, from: { bucket, key, version: version === undefined ? `${source}` : refOf(version) } }
  }

  /**
   * An answer with an unknown outcome is no acknowledgement. The operation may take effect when the store is opened
   * again.
   */
  #floorOf(operation: Operation): number {
    const before = this.#history.operations.filter(
      (other) => (other.answered ?? Infinity) < operation.issued && !this.#isOpen(other),
    )
    return Math.max(0, ...before.map(({ step }) => this.#placeOf.get(step.name) ?? 0))
  }

  #fits({ step, answer }: Operation, state: ModelState): boolean {
    if (answer === undefined || this.#mayBeUnknown(answer) || this.#isExcused(answer)) return true
    switch (step.type) {
      case 'restore':
        if ('error' in answer) return answer.error === 'NoSuchBucket' && !state.buckets.has(step.bucket)
        return 'restored' in answer && answer.restored.length === 0
      case 'undo':
        return 'undone' in answer && answer.undone.length === 0
      case 'erase':
        if (same(answer, { error: 'NoSuchKey' })) return !hasVersions(state, step)
        return 'ok' in answer || same(answer, { error: 'NoSuchBucket' })
      case 'sweep':
      case 'reopen':
        return 'ok' in answer
      case 'get':
      case 'list':
      case 'listVersions':
        return this.#isShown(
          answer,
          answering(() => shownBy(state, step)),
        )
      default: {
        const line = apply(state, step)
        // A command that changed something would be in the log.
        return line.state === state && same(answer, line.answer)
      }
    }
  }

  #isShown(answer: Answer, expected: ModelAnswer<readonly Shown[]>): boolean {
    if ('error' in expected) return same(answer, expected)
    return 'shown' in answer && same(this.#inModelNames(answer.shown), expected.ok)
  }

  #mayBeUnknown(answer: object): boolean {
    return 'error' in answer && unknown.has(answer.error as string)
  }

  /** Nothing was promised: it may take effect later, or the rest of it. */
  #isOpen({ step, answer }: Operation): boolean {
    if (answer === undefined) return false
    return this.#mayBeUnknown(answer) || (isParted(step) && this.#isExcused(answer))
  }

  #isExcused(answer: object): boolean {
    if (!('error' in answer)) return false
    // The model knows nothing of the time that a drop takes, nor of plans, which a change of the bucket makes void.
    if (['StoreClosed', 'ForkBeingCleared', 'RestoreConflict'].includes(answer.error as string)) return true
    return this.#history.faulted && excuses.has(answer.error as string)
  }

  #inModelNames(shown: readonly Shown[]): readonly Shown[] {
    const { bindings } = this.#history
    const nameOf = (id: unknown) => bindings.ref(id as string)
    return shown.map(([key, id, ...rest]) => [key, nameOf(id), ...rest])
  }
}

interface EventPlace {
  readonly bucket: string
  readonly key?: string
  readonly isSetting: boolean
}

const placeOf = ({ type, data }: RecordedEvent): EventPlace => ({
  ...(data as { readonly bucket: string; readonly key?: string }),
  isSetting: type === 'VersioningSet',
})

const isSame = (a: EventPlace, b: EventPlace): boolean =>
  a.bucket === b.bucket && a.key === b.key && a.isSetting === b.isSetting

/** The buckets, with one place as it was. */
function asBefore(
  state: ModelState,
  before: ModelState,
  { bucket, key, isSetting }: EventPlace,
): ModelState['buckets'] {
  const buckets = new Map(state.buckets)
  const [then, now] = [before.buckets.get(bucket), buckets.get(bucket)]
  if (then === undefined) buckets.delete(bucket)
  // Its uploads were aborted when it was deleted.
  else if (now === undefined) buckets.set(bucket, { ...then, uploads: new Map() })
  else if (key !== undefined) buckets.set(bucket, withVersions(now, key, versionsOf(then, key)))
  else if (isSetting && then.versioning !== undefined) buckets.set(bucket, { ...now, versioning: then.versioning })
  return buckets
}

function shownBy(state: ModelState, step: ReadStep & Step): readonly Shown[] {
  if (step.type === 'get') {
    const version = findObject(state, step.bucket, step.key)
    return [[step.key, refOf(version), version.object.body]]
  }
  if (step.type === 'list') {
    return listObjects(state, step.bucket).flatMap((entry) => ('prefix' in entry ? [] : [[entry.key, refOf(entry)]]))
  }
  return listVersions(state, step.bucket).flatMap((entry) => {
    if ('prefix' in entry) return []
    return [[entry.key, refOf(entry), entry.isLatest, entry.object === undefined ? 'marker' : 'version']]
  })
}

/** The same fields with the same values, in whatever order they were set. */
const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, field: unknown) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? Object.fromEntries(Object.entries(field).sort(([x], [y]) => (x < y ? -1 : 1)))
      : field,
  )

const hasVersions = (state: ModelState, { bucket, key }: EraseStep): boolean =>
  (state.buckets.get(bucket)?.keys.get(key) ?? []).length > 0
