/** given(events).when(command).leadsTo(events): a rule's specification, run on rows that the given events make. */
import { soonOrFailed } from '../base/soon.ts'
import { expect } from 'vitest'
import type { CommandShapes, CommandType, Command } from '../commands/command.ts'
import { isStorageError } from '../base/errors.ts'
import type { Event } from '../events/index.ts'
import { hashing, memoryJournal } from '../api/memory-ports.fixture.ts'
import { logStart, Recorder } from '../engine/recorder.ts'
import { project } from '../views/project.ts'
import { committedRows } from '../views/row-reader.ts'
import { RowTransaction } from '../views/row-transaction.ts'
import { decide } from './rules.ts'

export const alice = { id: 'alice', name: 'Alice' }
export const bob = { id: 'bob', name: 'Bob' }

export interface When {
  /** Events, or the code of the one error. */
  leadsTo(expected: readonly Event[] | string): Promise<void>
}

export function given(...events: readonly Event[]) {
  return {
    /** `at`: the time of the command, in milliseconds. */
    when: <T extends CommandType>(type: T, data: CommandShapes[T], by = alice, at = 0): When => ({
      async leadsTo(expected) {
        const rows = new RowTransaction(committedRows(memoryJournal(), hashing), hashing)
        const recorder = new Recorder({ logTime: () => at, locksAt: () => at }, hashing, logStart)
        const meta = { by: alice, requestId: 'given' }
        for (const event of events) await project(rows, recorder.record(event, meta, 0))
        const command = { type, data, meta: { by, requestId: 'when' } } as Command<T>
        const deciding = () => decide(rows, command, hashing, recorder.decisionTime())
        const outcome = await soonOrFailed<readonly Event[] | string>(deciding, (error) => {
          if (isStorageError(error)) return error.code
          throw error
        })
        expect(outcome).toEqual(expected)
      },
    }),
  }
}
