/** Bugs to plant in what writes and reads replicas: `hunt-replicas.ts` must find every one. See `planted-bugs.ts`. */
import type { PlantedBug } from '../planted-bugs.ts'

const replicator = 'packages/core/src/replication/replicator.ts'
const line = 'packages/core/src/replication/replica-line.ts'
const state = 'packages/core/src/replication/replica-state.ts'
const merge = 'packages/core/src/replication/merge-parts.ts'
const upkeep = 'packages/core/src/replication/replica-upkeep.ts'
const erasure = 'packages/core/src/replication/replica-erasure.ts'
const rewriting = 'packages/core/src/replication/without-rows.ts'
const scan = 'packages/core/src/events/erasure-scan.ts'
const pins = 'packages/core/src/jobs/replica-pins.ts'
const live = 'packages/core/src/replication/live-parts.ts'

const bringing = '    await bringer.bring(gathered.blobs)\n'
const writing = '    const part = await this.#write(gathered, gathered.absent + bringer.absent)\n'

const scenarios = ['replicas'] as const

export interface ReplicaBug extends PlantedBug {
  /** Of a schedule shortly before the first one that shows a rare bug. @default 1 */
  readonly firstSeed?: number
}

export const replicaBugs: readonly ReplicaBug[] = [
  {
    name: 'a file is acknowledged before it is written',
    patches: [
      {
        file: replicator,
        find: '    const size = await createPart(into, name, facts, blocks)\n',
        replace:
          '    createPart(into, name, facts, blocks).catch(() => undefined)\n    const size: number | undefined = 1\n',
      },
    ],
    scenarios,
  },
  {
    name: 'a writer does not look whether it was deposed',
    patches: [{ file: replicator, find: ', this.assertGoesOn()])', replace: '])' }],
    scenarios,
    firstSeed: 2,
  },
  {
    name: 'a new writer does not read the replica again after its claim',
    patches: [
      {
        file: replicator,
        find: '    const state = await readReplicaState(options.into)\n',
        replace: '    const state = before\n',
      },
    ],
    scenarios,
    firstSeed: 39,
  },
  {
    name: 'events are written before the bytes that they brought',
    patches: [
      { file: replicator, find: bringing, replace: '' },
      { file: replicator, find: writing, replace: writing + bringing },
    ],
    scenarios,
  },
  {
    name: 'a store that lacks events of the replica writes on',
    patches: [
      {
        file: replicator,
        find: "  throw diverged(head < state.head && (await haveSameEvent(reader.journal, from.journal, head)) ? 'ahead' : 'branch')\n",
        replace: '  return { position: head, hash: (await tipAt(log, head)).hash }\n',
      },
    ],
    scenarios,
    firstSeed: 2,
  },
  {
    name: 'what a deposed writer writes late counts',
    patches: [
      { file: line, find: 'if (start.term > term) ', replace: 'if (start.term > term + 1) ' },
      { file: state, find: 'start.term > term && ', replace: 'start.term > term + 1 && ' },
    ],
    scenarios,
    firstSeed: 6,
  },
  {
    name: 'files are deleted before they are joined',
    patches: [
      {
        file: upkeep,
        find: '    await this.deleteReplaced()\n    const',
        replace: '    await this.#ports.files.delete(due.map(({ name }) => name))\n    const',
      },
    ],
    scenarios,
  },
  {
    name: 'a joined file that was cut off hides those that it was to join',
    patches: [
      {
        file: state,
        find: 'withoutCutOffJoins(parts, starts, isWhole)',
        replace: 'withoutCutOffJoins(parts, starts, async () => true)',
      },
    ],
    scenarios,
    firstSeed: 131,
  },
  {
    name: 'joining drops the short bytes',
    patches: [
      {
        file: merge,
        find: '  if (level === 1) return log.some(hasRows) ? { parts: log, replaced: [] } : undefined\n',
        replace: '  if (level === 1) return undefined\n',
      },
    ],
    scenarios,
  },
  {
    name: 'joining leaves out the first file',
    patches: [
      {
        file: merge,
        find: 'eventBlocks(ports, parts))\n  return',
        replace: 'eventBlocks(ports, parts.slice(1)))\n  return',
      },
    ],
    scenarios,
  },
  {
    name: 'a sweep does not wait for the replica',
    patches: [
      {
        file: pins,
        find: '    return Math.max(confirmed, pin.givenUpTo)\n',
        replace: '    return Math.max(confirmed + 10, pin.givenUpTo)\n',
      },
    ],
    scenarios,
  },
  {
    name: 'a file is deleted before the one that takes its place is there',
    patches: [
      {
        file: rewriting,
        find: '  for (let revision = nextRevision(part.revision, ports.term); ; revision++) {\n',
        replace:
          '  await ports.files.delete([part.name])\n  for (let revision = nextRevision(part.revision, ports.term); ; revision++) {\n',
      },
    ],
    scenarios,
    firstSeed: 2,
  },
  {
    name: 'a request at the end of what was copied is forgotten',
    patches: [
      {
        file: scan,
        find: '    return this.#isLastRequest || this.#open.size > 0\n',
        replace: '    return this.#open.size > 0\n',
      },
    ],
    scenarios,
    firstSeed: 20,
  },
  {
    name: 'what was erased stays in the files',
    patches: [
      { file: erasure, find: '    if (rows.length === 0) return\n', replace: '    if (rows.length > 0) return\n' },
    ],
    scenarios,
    firstSeed: 2,
  },
  {
    name: 'an erasure is acknowledged before it is done',
    patches: [
      {
        file: erasure,
        find: '        await this.#remove(erased, true)\n',
        replace: '        await this.#mark()\n        await this.#remove(erased, true)\n',
      },
    ],
    scenarios,
    firstSeed: 6,
  },
  {
    name: 'what is in memory is copied wherever the replica is',
    patches: [
      {
        file: live,
        find: '    if (part?.gatherer.from !== from || part.gatherer.prev !== prev) return undefined\n',
        replace: '    if (part === undefined) return undefined\n',
      },
    ],
    scenarios,
    firstSeed: 3,
  },
  {
    name: 'what others committed is missing between what is in memory',
    patches: [
      {
        file: live,
        find: '    const follows = before !== undefined && before.seq + 1 === from\n',
        replace: '    const follows = before !== undefined\n',
      },
    ],
    scenarios,
    firstSeed: 3,
  },
]
