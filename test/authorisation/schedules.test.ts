/**
 * Every operation of the table, stalled wherever it waits, while another principal changes policy, ACL, ownership, public-access
 * block, tags, bucket or version. No effect and no byte without a permission in the state it took effect in.
 */
import { operations } from '@varve/http'
import { describe, expect, it } from 'vitest'
import { detect } from '#http/operations/detect'
import { parseQuery } from '#http/target/query-params'
import { createRequestHeaders } from '#http/target/request-headers'
import { changes } from './support/changes.ts'
import { type Grant, grants, type Prepared, prepare } from './support/grants.ts'
import { judgeOutcome, type Verdict } from './support/judge-outcome.ts'
import { type Random, randomFrom } from '../support/random.ts'
import { requestsFor, type Sketch } from './support/requests.ts'
import { type Interference, runSchedule } from './support/schedule.ts'

const schedules = Number(process.env['VARVE_AUTHORISATION_SCHEDULES'] ?? 250)
const seed = Number(process.env['VARVE_AUTHORISATION_SEED'] ?? 1)

interface Stage {
  readonly grant: Grant
  readonly prepared: Prepared
}

const operationOf = ({ line, headers = {} }: Sketch): string => {
  const [method = '', url = ''] = line.split(' ')
  const [path = '', query = ''] = url.split('?')
  const level = path === '/' ? 'service' : path.lastIndexOf('/') === 0 ? 'bucket' : 'object'
  const sent = createRequestHeaders(Object.entries(headers).flat())
  return detect({ method, level, query: parseQuery(query), headers: sent }).name
}

describe('the requests of the schedules', () => {
  it('are of every operation that is built', () => {
    const built = operations.flatMap(({ name, handler }) => (handler === undefined ? [] : [name]))
    const requested = new Set(requestsFor({ uploadId: 'u', etag: 'e', at: 1 }).map(operationOf))
    expect(built.filter((name) => !requested.has(name))).toEqual([])
  })
})

describe(`under ${schedules} schedules, from seed ${seed},`, () => {
  it(
    'nothing takes effect and nothing is served without a permission in that state',
    async () => {
      const random = randomFrom(seed)
      const stages: Stage[] = []
      for (const grant of grants) {
        for (const versioned of [false, true]) stages.push({ grant, prepared: await prepare(grant, versioned) })
      }
      const verdicts: Record<Verdict, number> = { effect: 0, served: 0, refused: 0, 'given up': 0 }
      const waits = new Map<string, number>()
      for (let n = 0; n < schedules; n++) {
        const { grant, prepared } = random.pick(stages)
        const sketches = requestsFor(prepared)
        const sketch = sketches[n % sketches.length] as Sketch
        const known = waits.get(sketch.line) ?? 12
        const interferences = Array.from({ length: 1 + random.below(3) }, () => interference(random, known))
        const plan = { interferences, isKnown: random.below(2) === 1 }
        const outcome = await runSchedule(prepared, grant, sketch, plan)
        waits.set(sketch.line, Math.max(known, outcome.waits))
        const verdict = await judgeOutcome(outcome, grant, sketch).catch((error: unknown) => {
          const where = `${n}: ${sketch.line} by ${grant.title}, ${JSON.stringify(plan)}`
          throw new Error(`Seed ${seed}, schedule ${where}\n${String(error)}`, { cause: error })
        })
        verdicts[verdict]++
      }
      console.info(`Seed ${seed}, ${schedules} schedules: ${JSON.stringify(verdicts)}`)
      for (const count of [verdicts.effect, verdicts.served, verdicts.refused]) {
        expect(count).toBeGreaterThan(schedules / 50)
      }
      // Judged again, a request is nearly always answered.
      expect(verdicts['given up']).toBeLessThan(schedules / 5)
    },
    60_000 + schedules * 100,
  )
})

function interference(random: Random, waits: number): Interference {
  return {
    at: random.below(waits),
    change: random.pick(Object.keys(changes)),
    bucket: random.chance(0.15) ? 'from' : random.chance(0.05) ? 'empty' : 'box',
  }
}
