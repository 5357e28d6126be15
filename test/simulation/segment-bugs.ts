/** Bugs to plant in the segments of blobs: `explore-segments.ts` must find every one. See `planted-bugs.ts`. */
import type { PlantedBug } from './planted-bugs.ts'

export type SegmentBug = Omit<PlantedBug, 'scenarios'>

const home = 'packages/adapters/src/segment-blobs'
const patch = (file: string, find: string, replace: string) => [{ file: `${home}/${file}`, find, replace }]

export const segmentBugs: readonly SegmentBug[] = [
  {
    name: 'a group is answered before it is synced',
    patches: patch(
      'segment-writer.ts',
      'await allDone([segment.file.datasync(), assertSize(segment.file, end)])',
      'await assertSize(segment.file, end)',
    ),
  },
  {
    name: 'an fdatasync that failed is tried again',
    patches: patch(
      'segment-writer.ts',
      'segment.file.datasync()',
      'segment.file.datasync().catch(() => segment.file.datasync())',
    ),
    faults: { operation: 'fdatasync', errno: 'EIO' },
  },
  {
    name: 'the name of a segment is not synced',
    patches: patch('segment-directory.ts', '      await this.#sync()\n      return file\n', '      return file\n'),
  },
  {
    name: 'a delete is answered before its mark is durable',
    patches: patch(
      'segment-store.ts',
      'this.#appender.mark(marks).then(',
      'Promise.resolve(void this.#appender.mark(marks)).then(',
    ),
  },
  {
    name: 'a delete marks one place of a blob that is in two',
    patches: patch(
      'segment-store.ts',
      '[this.#table.at(id) as Place, ...this.#table.shadowsOf(id)]',
      '[this.#table.at(id) as Place]',
    ),
  },
  {
    name: 'marks go with the segment they lie in',
    patches: patch('clear-segment.ts', '  if (needed.length > 0) await appender.mark(needed)\n', ''),
  },
  {
    name: 'a segment goes before what is needed of it is elsewhere',
    patches: patch(
      'clear-segment.ts',
      '  await appender.append(blob.id, record, (place) => table.put(blob.id, place))\n',
      '  table.remove(blob.id)\n  void appender.append(blob.id, record, (place) => table.put(blob.id, place))\n',
    ),
  },
  {
    name: 'marks about a segment are forgotten before it is gone for good',
    patches: patch(
      'segment-directory.ts',
      'this.fs.unlink(this.paths.segmentOf(id)))\n    await this.#sync()\n',
      'this.fs.unlink(this.paths.segmentOf(id)))\n',
    ),
  },
  {
    name: 'a blob is deleted while it is moved',
    patches: patch(
      'segment-store.ts',
      '    for (let busy = this.#busyWith(ids); busy.length > 0; busy = this.#busyWith(ids)) await Promise.allSettled(busy)\n',
      '',
    ),
  },
  {
    name: 'what a killed process left in the memory of the system is believed',
    patches: patch(
      'open-segments.ts',
      '  for (const segment of loaded) if (!segment.indexed) await settle(directory, segment)\n',
      '',
    ),
  },
  {
    name: 'a torn blob is listed',
    patches: patch(
      'scan-segment.ts',
      'whole || offset + headerBytes + length <= synced',
      'whole || offset + headerBytes + length > synced',
    ),
  },
]
