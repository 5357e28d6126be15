/** Bugs to plant in the segment log: one line each. The simulator must find every one of them. */
import type { PlantedBug } from '../planted-bugs.ts'

const home = 'packages/adapters/src/segment-log/'

const bug = (name: string, file: string, find: string, replace: string): Pick<PlantedBug, 'name' | 'patches'> => ({
  name,
  patches: [{ file: `${home}${file}`, find, replace }],
})

export const logBugs: readonly Pick<PlantedBug, 'name' | 'patches'>[] = [
  bug('a group is not synced', 'log-writer.ts', '    await file.datasync()\n', ''),
  bug('a new segment is not synced', 'create-segment.ts', '    await file.sync()\n', ''),
  bug('the name of a new segment is not synced', 'create-segment.ts', '  await syncDirectory(fs, dirname(path))\n', ''),
  bug(
    'what may not be durable is not written anew',
    'recover-log.ts',
    'if (unsureFrom !== undefined)',
    'if (last < 0)',
  ),
  bug(
    'rows outside the log are not synced',
    'views-writer.ts',
    'encodeShort(value))\n    }\n    await batch.write({ sync: true })',
    'encodeShort(value))\n    }\n    await batch.write({ sync: false })',
  ),
  {
    name: 'the rows of a commit are not compared with the commits before it',
    patches: [
      {
        file: 'packages/adapters/src/journal-kit/group-state.ts',
        find: 'return value === undefined ? committed[i] : value',
        replace: 'return committed[i]',
      },
    ],
  },
  bug('the name of a segment is trusted', 'read-tail.ts', 'const named = size > born ||', 'const named = size > 0 ||'),
]
