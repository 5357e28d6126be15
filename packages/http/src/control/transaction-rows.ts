/**
 * Open transactions of other programs. A program opens one, names it in calls, and commits it while the answer that opened
 * it goes on. If others changed what was read, that answer names the next attempt. If it is cut off, nothing is changed.
 */
import {
  type Cancelable,
  onAbort,
  schema,
  StorageError,
  type Store,
  type Transaction,
  type TransactionOptions,
} from '@varve/core'
import { done, position } from './common-fields.ts'
import { linesRow, valueRow } from './control-row.ts'
import { jsonBody } from './input.ts'
import { OpenHandles } from './open-handles.ts'

const { boolean, integer, object, objectWith, optional, text } = schema

interface OpenTransaction {
  readonly own: Transaction
  commit(): void
}

/** Of all stores of this process. */
const transactions = new OpenHandles<OpenTransaction>()

/** @throws StorageError `TransactionEnded` */
export function transactionNamed(name: string): OpenTransaction {
  const found = transactions.get(name)
  if (found !== undefined) return found
  throw new StorageError('TransactionEnded', 'No transaction of this name is open.')
}

/** One of these: the next attempt, or that it was committed. */
export interface TransactionLine {
  /** The name of the transaction in calls. */
  readonly transaction?: string
  /** The position of the state that the attempt reads. */
  readonly seq?: number
  readonly committed?: boolean
}

/** How a transaction is opened. */
export type OpenedTransaction = Omit<TransactionOptions, keyof Cancelable>

export const openTransaction = linesRow<OpenedTransaction, TransactionLine>({
  name: 'OpenTransaction',
  summary: 'Opens a transaction, which is over when this answer ends; only over the local socket',
  method: 'POST',
  path: '/-/v1/transaction/open',
  // The form of a call names transactions, and only the socket takes it.
  isLocalOnly: true,
  isFollowing: true,
  input: jsonBody(object<OpenedTransaction>({ attempts: optional(integer({ min: 1 })) })),
  output: objectWith<TransactionLine>({
    transaction: optional(text()),
    seq: optional(position),
    committed: optional(boolean),
  }),
  run: ({ store, input, signal }) => attempting(store, { ...input, signal }),
})

async function* attempting(store: Store, options: TransactionOptions): AsyncGenerator<TransactionLine> {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, ...(options.signal === undefined ? [] : [options.signal])])
  const attempts = new Attempts(signal)
  const work = store
    .transaction((own) => attempts.during(own), { ...options, signal })
    .then(
      () => ({ committed: true }),
      (error: unknown) => ({ error }),
    )
  try {
    for (;;) {
      const line = await Promise.race([attempts.next(), work])
      if ('error' in line) throw line.error
      yield line
      if ('committed' in line) return
    }
  } finally {
    gone.abort(new StorageError('TransactionEnded', 'The program has left its transaction.'))
    await work
  }
}

/** The attempts of a transaction, one after the other. */
class Attempts {
  readonly #signal: AbortSignal
  #found: Required<Pick<TransactionLine, 'transaction' | 'seq'>> | undefined
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Resolves when the program commits. @throws the reason of the signal */
  async during(own: Transaction): Promise<void> {
    const signal = this.#signal
    let [commit, end] = [() => undefined, () => undefined] as [() => void, () => void]
    const committed = new Promise<void>((resolve, reject) => {
      commit = resolve
      end = () => reject(signal.reason as Error)
    })
    const transaction = transactions.add({ own, commit })
    const unlisten = onAbort(signal, end)
    this.#found = { transaction, seq: own.seq }
    this.#wake?.()
    try {
      signal.throwIfAborted()
      await committed
    } finally {
      unlisten()
      transactions.delete(transaction)
    }
  }

  async next(): Promise<TransactionLine> {
    while (this.#found === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const found = this.#found
    this.#found = undefined
    return found
  }
}

/** A transaction by its name. */
export interface NamedTransaction {
  readonly transaction: string
}

export const commitTransaction = valueRow<NamedTransaction, object>({
  name: 'CommitTransaction',
  summary:
    'Begins the commit of an open transaction; the answer that opened it has the result; only over the local socket',
  method: 'POST',
  path: '/-/v1/transaction/commit',
  isLocalOnly: true,
  input: jsonBody(object<NamedTransaction>({ transaction: text() })),
  output: done,
  async run({ input }) {
    transactionNamed(input.transaction).commit()
    return {}
  },
})
