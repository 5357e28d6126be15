/** Bugs to plant in what heals: `hunt-healing.ts` must find every one. See `planted-bugs.ts` of the simulation. */
import type { PlantedBug } from '../simulation/planted-bugs.ts'

const checked = 'packages/core/src/healing/checked-copy.ts'
const needed = 'packages/core/src/reads/is-needed.ts'
const scenarios = ['replicas'] as const

export const healingBugs: readonly PlantedBug[] = [
  {
    name: 'a blob of a copy is put back without being checked',
    patches: [
      {
        file: checked,
        find: 'for await (const bytes of patience.read(reading)) {',
        replace:
          'void reading\n  const whole = async function* () {\n    const handle = await copy.open(blob.id)\n    const bytes = new Uint8Array(handle.size)\n    await handle.read(bytes, 0)\n    yield bytes\n  }\n  for await (const bytes of patience.read(whole())) {',
      },
      {
        file: checked,
        find: "if (digest !== undefined && toHex(digest.finish()) !== md5) throw corrupt(blob, 'checksum')",
        replace: '',
      },
    ],
    scenarios,
  },
  {
    name: 'short bytes of a copy are put back if their frame is right',
    patches: [
      {
        file: checked,
        find: 'if (bytes?.length !== blob.size || crcsOf(hashing, bytes) !== blob.crcs) return undefined',
        replace: 'if (bytes === undefined || bytes !== undefined) return { key, value }',
      },
    ],
    scenarios,
  },
  {
    name: 'what is gone is healed also after its erasure',
    patches: [
      {
        file: needed,
        find: "if (mayBeErased && isMissing && (what === 'key' || blob.inline)) return false",
        replace: 'void isMissing\n  void mayBeErased\n  void what',
      },
      {
        file: needed,
        find: 'if (!blob.inline && (await committedRows(rows, hashing).get(blobTable.key(blob.id))) === undefined) return false',
        replace: '',
      },
    ],
    scenarios,
  },
]
