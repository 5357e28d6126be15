import { describe, expect, it } from 'vitest'
import { checkAddresses } from './served-addresses.ts'
import type { ServerSettings } from './server-settings.ts'

const journal = 'postgres://me@db.example.com/varve?schema=photos&sslmode=verify-full'
const blobs =
  's3://bucket/photos?region=eu-west-1&endpoint=https%3A%2F%2Fs3.example.com&hedge=50&store=photos&cache=/var/cache/varve&cache-bytes=1000000'

describe('addresses of a journal and of blobs', () => {
  it.each<Partial<ServerSettings>>([
    {},
    { journal, blobs },
    { journal, blobs, stale: 60_000, drain: 5000, nodeName: 'one' },
    { journal: 'postgresql:///varve?host=/run/postgresql', blobs: 's3://bucket' },
    { journal, blobs: 'file:///mnt/shared/' },
    { journal: `${journal}&connections=2&snapshots=4`, blobs },
    { journal, blobs, workers: 1, check: 'bytes', witness: 'trailing' },
  ])('are taken as %j', (given) => {
    expect(() => checkAddresses(given)).not.toThrow()
  })

  it.each<[Partial<ServerSettings>, string]>([
    [{ journal }, '--journal and --blobs need each other'],
    [{ blobs }, '--journal and --blobs need each other'],
    [{ journal, blobs, layout: 'level+files' }, '--layout is for stores in directories'],
    [{ journal, blobs, workers: 2 }, '--workers is for stores in directories'],
    [{ journal, blobs, check: 'none' }, '--check is for stores in directories'],
    [{ journal, blobs, witness: 'synced' }, '--witness is for stores in directories'],
    [{ nodeName: 'one' }, '--node-name is for servers of --journal'],
    [{ stale: 1000 }, '--stale is for servers of --journal'],
    [{ journal, blobs, stale: 60_001 }, '--stale is at most 1min'],
    [{ drain: 1000 }, '--drain is for servers of --journal'],
    [{ journal: 'mysql://db/x', blobs }, 'is postgres://USER@HOST/DATABASE'],
    [{ journal: 'postgres', blobs }, 'is postgres://USER@HOST/DATABASE'],
    [{ journal: 'postgres://me:secret@db/x', blobs }, 'must not have the password'],
    [{ journal: 'postgres://me@db/x?password=secret', blobs }, 'must not have the password'],
    [
      { journal: 'postgres://me@db/x?snapshots=0', blobs },
      'parameter snapshots of an address of a journal is a number',
    ],
    [{ journal: 'postgres://me@db/x?connections=few', blobs }, 'parameter connections of an address'],
    [{ journal, blobs: 'https://blobs' }, 'is s3://BUCKET/PREFIX or file:///DIRECTORY'],
    [{ journal, blobs: 'file://host/blobs' }, 'is s3://BUCKET/PREFIX'],
    [{ journal, blobs: 'file:///' }, 'is s3://BUCKET/PREFIX'],
    [{ journal, blobs: 'file:///a%2Fb' }, 'is s3://BUCKET/PREFIX'],
    [{ journal, blobs: 's3:///prefix' }, 'is s3://BUCKET/PREFIX'],
    [{ journal, blobs: 's3://bucket:9000/prefix' }, 'is s3://BUCKET/PREFIX'],
    [{ journal, blobs: 's3://bucket/%zz' }, 'is s3://BUCKET/PREFIX'],
    [{ journal, blobs: 's3://me:secret@bucket' }, 'must not have credentials'],
    [{ journal, blobs: 's3://bucket?size=5' }, 'has no parameter size'],
    [{ journal, blobs: 's3://bucket?hedge=soon' }, 'hedge of the address of blobs is a number'],
    [{ journal, blobs: 's3://bucket?cache=/tmp&cache-bytes=1e9' }, 'cache-bytes of the address of blobs is a number'],
    [{ journal, blobs: 's3://bucket?cache-bytes=5' }, 'needs cache, a directory'],
  ])('are refused as %j', (given, problem) => {
    const check = () => checkAddresses(given)
    expect(check).toThrow(problem)
    expect(check).not.toThrow('secret')
  })
})
