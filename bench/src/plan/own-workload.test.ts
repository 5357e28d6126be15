import { describe, expect, it } from 'vitest'
import { parseOwnWorkload } from './own-workload.ts'
import { UsageError } from '../basics/usage-error.ts'

const parse = (value: unknown) => parseOwnWorkload(JSON.stringify(value))
const mix = { get: 1 }

describe('a workload of one’s own', () => {
  it('needs a mix and nothing else', () => {
    expect(parse({ mix: { get: 80, put: 20 } })).toEqual({
      workload: {
        kind: 'mix',
        name: 'own',
        title: 'own workload',
        unit: 'operations',
        through: 'process',
        mix: { get: 80, put: 20 },
        puts: 'any',
        sizes: [{ bytes: 4096, weight: 1 }],
        keys: 1000,
        choose: 'uniform',
        versioned: false,
        inFlight: 16,
        operations: 5000,
        floors: ['files', 'raw-level'],
      },
    })
  })

  it('accepts every field', () => {
    const sizes = [{ bytes: '64KiB', weight: 3 }, { bytes: 100 }]
    const given = {
      name: 'thumbs-1.2',
      through: 'http',
      puts: 'new',
      choose: 'hot',
      keys: 7,
      inFlight: 2,
      seconds: 1.5,
      seed: 9,
    }
    const { workload, seed } = parse({ ...given, mix: { get: 1, list: 0 }, sizes })
    const { seed: _, ...rest } = given
    expect(workload).toMatchObject({ ...rest, mix: { get: 1 }, floors: ['node-files', 'node-http'] })
    expect(workload.sizes).toEqual([
      { bytes: 65_536, weight: 3 },
      { bytes: 100, weight: 1 },
    ])
    expect(seed).toBe(9)
  })

  it.each<[unknown, string]>([
    [null, 'A workload is no JSON object'],
    [[], 'A workload is no JSON object'],
    [{}, 'mix is missing'],
    [{ mix: [] }, 'mix is no JSON object'],
    [{ mix: {} }, 'mix asks for nothing'],
    [{ mix: { get: 0 } }, 'mix asks for nothing'],
    [{ mix: { dance: 1 } }, 'mix.dance is none of get, put, head, list, delete'],
    [{ mix: { constructor: 1 } }, 'mix.constructor is none of'],
    [{ mix: { get: -1 } }, 'mix.get is a number above 0'],
    [{ mix: { get: '1' } }, 'mix.get is a number above 0'],
    [{ mix, extra: 1 }, 'extra is no field'],
    [{ mix, name: '../../etc' }, 'name is up to 64'],
    [{ mix, name: '<b>' }, 'name is up to 64'],
    [{ mix, name: 'x'.repeat(65) }, 'name is up to 64'],
    [{ mix, sizes: -1 }, 'sizes is a number of bytes'],
    [{ mix, sizes: 1.5 }, 'sizes is a number of bytes'],
    [{ mix, sizes: '2GiB' }, 'sizes is a number of bytes'],
    [{ mix, sizes: 1e300 }, 'sizes is a number of bytes'],
    [{ mix, sizes: true }, 'sizes is a number of bytes'],
    [{ mix, sizes: [] }, 'sizes has 1 to 100'],
    [{ mix, sizes: Array.from({ length: 101 }, () => ({ bytes: 1 })) }, 'sizes has 1 to 100'],
    [{ mix, sizes: [1] }, 'sizes[0] is no JSON object'],
    [{ mix, sizes: [{ bytes: 1, weight: 0 }] }, 'sizes[0].weight is a number above 0'],
    [{ mix, sizes: [{ weight: 1 }] }, 'sizes[0].bytes is a number of bytes'],
    [{ mix, sizes: [{ bytes: 1, width: 1 }] }, 'sizes[0].width is neither'],
    [{ mix, keys: 0 }, 'keys is a whole number from 1'],
    [{ mix, keys: 1e9 }, 'keys is a whole number from 1 to 10000000'],
    [{ mix: { put: 1 }, keys: 0 }, 'keys is a whole number from 1'],
    [{ mix, inFlight: 0 }, 'inFlight is a whole number from 1 to 1024'],
    [{ mix, operations: 2.5 }, 'operations is a whole number'],
    [{ mix, seconds: 0 }, 'seconds is a number from 0.1'],
    [{ mix, seed: -1 }, 'seed is a whole number from 0'],
    [{ mix, puts: 'none' }, 'puts is any or new'],
    [{ mix, choose: 1 }, 'choose is uniform or hot'],
    [{ mix, through: 'ftp' }, 'through is process or http'],
    [{ mix, versioned: 1 }, 'versioned is true or false'],
    [{ mix, versioned: true, through: 'http' }, 'versioned is for work in process only'],
  ])('refuses %j with a reason', (value, why) => {
    expect(() => parse(value)).toThrow(UsageError)
    expect(() => parse(value)).toThrow(why)
  })

  it('refuses what is not JSON, and a prototype for a field', () => {
    expect(() => parseOwnWorkload('{')).toThrow('The workload is not JSON')
    expect(() => parseOwnWorkload('{"mix":{"get":1},"__proto__":{"keys":1}}')).toThrow('__proto__ is no field')
  })

  it('may put only new objects, and then needs none', () => {
    expect(parse({ mix: { put: 1 }, puts: 'new', keys: 0 }).workload.keys).toBe(0)
  })
})
