/** Every option of a server for tests, made anew for each call. */
import type { StartS3Options } from 'varve/testing'

export const testServerOptions = (): StartS3Options => ({
  listen: false,
  host: '127.0.0.1',
  port: 0,
  region: 'eu',
  credentials: { accessKeyId: 'ANN', secretAccessKey: 'secret' },
  identities: [],
  buckets: ['photos'],
  versioning: 'Enabled',
  clock: { now: () => 1000 },
  dialect: 'aws',
})
