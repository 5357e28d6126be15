/**
 * A store on PostgreSQL in this process, for `bench-nodes`: what a node does without HTTP. Answers each message, a number of objects of
 * 4 KiB to put, with the processor time of this process in milliseconds. `node engine-puts.js DATABASE BLOBS-URL WIDTH`
 */
import { openPostgresJournal } from '@varve/adapters/postgres'
import { openS3Blobs } from '@varve/adapters/s3'
import { openStore } from 'varve'
import { answerCounts } from '../lib/answer-counts.ts'
import { benchCredentials } from '../src/basics/credentials.ts'

const [database = '', endpoint = '', width = ''] = process.argv.slice(2)
const { region, ...credentials } = benchCredentials

const journal = await openPostgresJournal({ connectionString: database, schema: 'engine' })
const blobs = await openS3Blobs({ endpoint, region, bucket: 'blobs', prefix: 'engine/', credentials })
const store = await openStore({ journal, blobs })
await store.buckets.create('bucket')

const body = Buffer.alloc(4096, 'x')
let keys = 0
answerCounts(Number(width), () => store.objects.put('bucket', `key-${keys++}`, body))
