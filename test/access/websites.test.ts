/** Conditions of policies are judged on the hosts of websites as on those of S3. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Door, expectStatus, openDoor } from '../acceptance/support/door.ts'

const suffix = 'site.test'
const referer = 'https://example.com/page'

describe('a website whose policy asks where its visitors come from', () => {
  let door: Door
  let bucket: string
  beforeAll(async () => {
    door = await openDoor({ serve: { bucketDefaults: 'open', websiteSuffixes: [suffix] } })
    bucket = await door.bucket()
    const website = '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument>'
    const body = `${website}<ErrorDocument><Key>error.html</Key></ErrorDocument></WebsiteConfiguration>`
    expectStatus(await door.ask(`PUT /${bucket}?website`, { body }), 200)
    for (const key of ['index.html', 'folder/index.html', 'error.html']) await door.put(`/${bucket}/${key}`)
  })
  afterAll(() => door.stop())

  const visit = async (path: string, headers: Readonly<Record<string, string>>) => {
    const host = `${bucket}.${suffix}:${door.server.port}`
    const answer = await door.ask(`GET ${path}`, { as: 'nobody', headers: { host, ...headers } })
    return [answer.status, answer.headers['location'] ?? answer.text.slice(0, 40)]
  }

  it.each([
    ['aws:Referer', 'referer', referer],
    ['aws:UserAgent', 'user-agent', 'reader/1.0'],
  ])('lets those in whose %s it allows, to pages, folders and its page for errors', async (key, header, value) => {
    const Statement = [
      {
        Effect: 'Allow',
        Principal: '*',
        Action: ['s3:GetObject', 's3:ListBucket'],
        Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`],
        Condition: { StringEquals: { [key]: value } },
      },
    ]
    expectStatus(await door.ask(`PUT /${bucket}?policy`, { body: JSON.stringify({ Statement }) }), 204)
    const known = { [header]: value }
    const all = async (headers: Readonly<Record<string, string>>) => [
      await visit('/', headers),
      await visit('/folder', headers),
      await visit('/none', headers),
    ]
    expect(await all(known)).toEqual([
      [200, `/${bucket}/index.html`],
      [302, '/folder/'],
      [404, `/${bucket}/error.html`],
    ])
    expect((await all({ [header]: 'other' })).map(([status]) => status)).toEqual([403, 403, 403])
    expect((await all({})).map(([status]) => status)).toEqual([403, 403, 403])
  })
})
