/**
 * Bugs to plant in what lets several engines use one journal: `hunt-sharing.ts` must find every one. See
 * `planted-bugs.ts`.
 */
import type { PlantedBug } from './planted-bugs.ts'

const commitRights = 'packages/core/src/engine/commit-rights.ts'
const commitWriter = 'packages/core/src/engine/commit-writer.ts'
const knownLog = 'packages/core/src/engine/known-log.ts'
const viewsReader = 'packages/core/src/engine/views-reader.ts'
const leases = 'packages/core/src/sharing/leases.ts'
const sharedEngines = 'packages/core/src/sharing/shared-engines.ts'

export const sharingBugs: readonly PlantedBug[] = [
  {
    name: 'a cached row stays after another engine changed it',
    patches: [{ file: knownLog, find: '      hot.forgetAll()\n', replace: '' }],
    scenarios: ['reads of what others write'],
  },
  {
    name: 'a read does not follow the log up to its snapshot',
    patches: [{ file: viewsReader, find: '        await writer.follow(head.seq)\n', replace: '' }],
    scenarios: ['reads of what others write'],
  },
  {
    name: 'a command is committed after events that it was not decided after',
    patches: [
      { file: commitWriter, find: 'expectedHead: known.seq,', replace: 'expectedHead: await journal.head(),' },
      { file: commitRights, find: '...(head === undefined ? [] : [head]), ', replace: '' },
    ],
    scenarios: ['two updates of what both have read', 'an overwrite under a copy', 'listings under puts'],
  },
  {
    name: 'a conflict counts as a commit',
    patches: [
      {
        file: commitWriter,
        find: 'return conflictOf(error)',
        replace: 'return void conflictOf(error)',
      },
    ],
    scenarios: ['two creations of one key', 'listings under puts'],
  },
  {
    name: 'an answer from memory is not compared with the newest state',
    patches: [{ file: viewsReader, find: '      await reader.confirm()\n', replace: '' }],
    scenarios: ['reads of what others write'],
  },
  {
    name: 'two engines sweep at once, and both record what they erased',
    patches: [
      { file: leases, find: 'await this.#isHeld(stored.row.holder)', replace: 'stored.row.epoch < 0' },
      {
        file: leases,
        find: 'if (held === undefined) throw leaseLost(job)\n    return held.change',
        replace: 'return held?.change as never',
      },
      {
        file: sharedEngines,
        find: '[membership.fence, leases.row(job)]',
        replace: '[membership.fence]',
      },
      {
        file: 'packages/core/src/decide/erase-contents.ts',
        find: 'erased.filter((_, i) => started[i] !== undefined)',
        replace: 'erased',
      },
    ],
    scenarios: ['sweeps of engines that see each other work'],
  },
  {
    name: 'a lease counts as lost while its engine changes it',
    patches: [
      { file: leases, find: '      await held.stating?.catch(() => undefined)\n', replace: '' },
      { file: leases, find: 'held.stating === undefined && ', replace: '' },
    ],
    scenarios: ['a sweep under puts of both engines'],
  },
  {
    name: 'a sweep erases what a reader of another engine needs',
    patches: [
      {
        file: sharedEngines,
        find: 'Math.min(lowest, other), upTo)',
        replace: 'Math.max(lowest, Math.min(other, 0)), upTo)',
      },
    ],
    scenarios: ['reads under sweeps of an engine that sees the readers work'],
  },
  {
    name: 'a rebuild does not hide views that are not whole',
    patches: [
      {
        file: 'packages/core/src/engine/head-state.ts',
        find: 'viewsVersion && this.#row.partial !== true',
        replace: 'viewsVersion',
      },
      {
        file: 'packages/core/src/engine/newest-state.ts',
        find: 'frame === undefined ? isEmpty :',
        replace: 'frame === undefined ? true :',
      },
      { file: viewsReader, find: 'if (state.isComplete && state.seq >= known) {', replace: 'if (state.isComplete) {' },
      { file: viewsReader, find: 'if (!head.isComplete || head.seq < known)', replace: 'if (!head.isComplete)' },
    ],
    scenarios: ['a rebuild under reads and a put'],
  },
]
