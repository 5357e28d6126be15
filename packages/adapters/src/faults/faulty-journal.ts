/** A journal that fails as planned. Like a real journal, it accepts no commit after a failed one. */
import { isStorageError, type Journal, type Row, type RowReader, type RowSnapshot, StorageError } from '@varve/core'
import { type FaultPlan, type Faults, faultsOf } from './fault-plan.ts'

export type JournalOperation = 'head' | 'commit' | 'get' | 'getMany' | 'next' | 'event' | 'close'

/**
 * `next` is a read by a cursor; `event` is the delivery of one event. A commit that fails with any error but
 * `JournalConflict` has an unknown outcome: plan it `before` or `after` to choose the actual outcome.
 */
export function faultyJournal(journal: Journal, plan: FaultPlan<JournalOperation>): Journal {
  const faults = faultsOf(plan)
  let failure: unknown
  const faultySnapshot = (snapshot: RowSnapshot): RowSnapshot => ({
    ...faultyReader(snapshot, faults),
    close: () => snapshot.close(),
  })
  return {
    ...journal,
    ...faultyReader(journal, faults),
    head: () => faults.run('head', () => journal.head()),
    async commit(commit) {
      if (failure !== undefined) throw new StorageError('JournalFailed', 'The journal failed.', { cause: failure })
      try {
        await faults.run('commit', () => journal.commit(commit))
      } catch (error) {
        if (!isRefusal(error)) failure ??= error
        throw error
      }
    },
    async *events(range) {
      for await (const event of journal.events(range)) {
        yield await faults.run(
          'event',
          async () => event,
          ({ seq, bytes }, alter) => ({ seq, bytes: alter(bytes) }),
        )
      }
    },
    snapshot() {
      const snapshot = journal.snapshot()
      return snapshot instanceof Promise ? snapshot.then(faultySnapshot) : faultySnapshot(snapshot)
    },
    close: () => faults.run('close', () => journal.close()),
  }
}

/** Nothing was changed. */
const isRefusal = (error: unknown): boolean =>
  error instanceof TypeError || isStorageError(error, 'JournalConflict', 'JournalClosed')

function faultyReader(reader: RowReader, faults: Faults<JournalOperation>): RowReader {
  return {
    get: (key) =>
      faults.run(
        'get',
        async () => reader.get(key),
        (value, alter) => value && alter(value),
      ),
    getMany: (keys) =>
      faults.run(
        'getMany',
        () => reader.getMany(keys),
        (values, alter) => values.map((value) => value && alter(value)),
      ),
    cursor(range) {
      const cursor = reader.cursor(range)
      return {
        next: (count) =>
          faults.run(
            'next',
            () => cursor.next(count),
            (rows, alter) => rows.map(([key, value]): Row => [key, alter(value)]),
          ),
        seek: (key) => cursor.seek(key),
        close: () => cursor.close(),
      }
    },
  }
}
