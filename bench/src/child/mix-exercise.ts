/**
 * Operations on objects, chosen by seeded chance. The content of each key is known, so every answer is checked. If no
 * operation wrote the key meanwhile, the answer must match exactly. Otherwise it must be one of the possible versions.
 */
import type { Bodies } from '../workloads/bodies.ts'
import { type Random, randomFrom } from '../basics/random.ts'
import { type ObjectTarget, pageEntries } from '../targets/object-target.ts'
import { type MixOperation, mixOperations, type MixWorkload } from '../workloads/workload.ts'
import { type Done, type Exercise, inFlight, WrongAnswer } from './exercise.ts'
import { type Known, knownKey, mayBe, reading, writing } from './known-key.ts'

const refillWidth = 32
const keyName = (key: number): string => `k/${String(key).padStart(8, '0')}`

interface Mixing {
  readonly target: ObjectTarget
  readonly workload: MixWorkload
  readonly bodies: Bodies
  readonly keys: Known[]
  readonly random: Random
}

export function mixExercise(target: ObjectTarget, workload: MixWorkload, bodies: Bodies, seed: number): Exercise {
  const keys = Array.from({ length: workload.keys }, knownKey)
  const mixing: Mixing = { target, workload, bodies, keys, random: randomFrom(seed) }
  const chooseOperation = weighted(workload, mixing.random)
  const onlyDeletes = Object.keys(workload.mix).join() === 'delete'
  return {
    async before() {
      await inFlight(refillWidth, workload.keys, async (i) => {
        const key = keys[i] as Known
        if (!key.present) await put(mixing, i)
      })
    },
    operate(_, index) {
      const operation = chooseOperation()
      if (operation === 'put') return put(mixing, workload.puts === 'new' ? newKey(keys) : chooseKey(mixing))
      const key = onlyDeletes ? index % workload.keys : chooseKey(mixing)
      return operations[operation](mixing, key)
    },
    live: () => keys.reduce((sum, key) => sum + key.liveBytes, 0),
    close: () => target.close(),
  }
}

function newKey(keys: Known[]): number {
  return keys.push(knownKey()) - 1
}

/** Chooses among the initial keys; keys that were created since are not used. */
function chooseKey({ workload: { keys, choose }, random }: Mixing): number {
  if (choose === 'uniform' || random.next() >= 0.8) return random.below(keys)
  return random.below(Math.max(1, Math.floor(keys / 5)))
}

function weighted({ mix }: MixWorkload, random: Random): () => MixOperation {
  const entries = mixOperations.map((operation) => [operation, mix[operation] ?? 0] as const)
  const total = entries.reduce((sum, [, weight]) => sum + weight, 0)
  return () => {
    let left = random.next() * total
    for (const [operation, weight] of entries) {
      left -= weight
      if (left < 0) return operation
    }
    return 'get'
  }
}

async function put({ target, bodies, keys, workload }: Mixing, index: number): Promise<Done> {
  const key = keys[index] as Known
  const written = writing(key)
  const body = bodies.of(index, written.version)
  await target.put(keyName(index), body)
  written.put(body.length, workload.versioned)
  return { units: workload.unit === 'bytes' ? body.length : 1, put: body.length }
}

const operations: Record<Exclude<MixOperation, 'put'>, (mixing: Mixing, index: number) => Promise<Done>> = {
  async get({ target, bodies, keys, workload }, index) {
    const key = keys[index] as Known
    const read = reading(key)
    const bytes = await target.get(keyName(index))
    const allowed = read.allowed()
    const right = bytes === undefined ? allowed.absent : mayBe(allowed, (version) => bodies.isOf(bytes, index, version))
    if (!right) throw new WrongAnswer(`The bytes of ${keyName(index)} are not those that were put.`)
    return { units: workload.unit === 'bytes' ? (bytes?.length ?? 0) : 1 }
  },

  async head({ target, bodies, keys }, index) {
    const key = keys[index] as Known
    const read = reading(key)
    const size = await target.head(keyName(index))
    const allowed = read.allowed()
    const right =
      size === undefined ? allowed.absent : mayBe(allowed, (version) => bodies.sizeOf(index, version) === size)
    if (!right) throw new WrongAnswer(`The size of ${keyName(index)} is not that of what was put.`)
    return { units: 1 }
  },

  async list({ target, workload, keys, random }) {
    const after = random.below(Math.max(1, workload.keys - pageEntries))
    const count = await target.list(keyName(after))
    const expected = Math.min(pageEntries, keys.length - after - 1)
    const changing = (workload.mix.put ?? 0) + (workload.mix.delete ?? 0) > 0
    if (changing ? count > expected : count !== expected) {
      throw new WrongAnswer(`A page behind ${keyName(after)} has ${count} entries, not ${expected}.`)
    }
    return { units: workload.unit === 'entries' ? count : 1 }
  },

  async delete({ target, keys, workload }, index) {
    const written = writing(keys[index] as Known)
    await target.delete(keyName(index))
    written.deleted(workload.versioned)
    return { units: 1 }
  },
}
