/** The identities of the suite, for itself and for the server. */
import { randomBytes } from 'node:crypto'

interface Person {
  readonly section: string
  readonly id: string
  readonly name: string
  readonly email: string
  readonly more?: string
}

const people: readonly Person[] = [
  { section: 's3 main', id: 'testid', name: 'M. Tester', email: 'tester@ceph.com', more: 'api_name = EU' },
  {
    section: 's3 alt',
    id: '56789abcdef0123456789abcdef0123456789abcdef0123456789abcdef01234',
    name: 'john.doe',
    email: 'john.doe@example.com',
  },
  {
    section: 's3 tenant',
    id: 'testx$9876543210abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    name: 'testx$tenanteduser',
    email: 'tenanteduser@example.com',
    more: 'tenant = testx',
  },
  {
    section: 'iam',
    id: '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
    name: 'youruseridhere',
    email: 's3@example.com',
  },
  { section: 'iam root', id: 'RGW11111111111111111', name: 'iam root', email: 'account1@ceph.com' },
  { section: 'iam alt root', id: 'RGW22222222222222222', name: 'iam alt root', email: 'account2@ceph.com' },
]

export interface SuiteConfiguration {
  /** `s3tests.conf`. */
  conf(port: number): string
  /** The server's identity file. */
  readonly identities: string
  /** The server's keyring. The suite uses two keys by their names. */
  readonly keyring: string
}

const newKey = (): string => randomBytes(32).toString('base64')

/** New secrets every time. */
export function suiteConfiguration(): SuiteConfiguration {
  const keyed = people.map((person) => ({
    ...person,
    accessKeyId: randomBytes(10).toString('hex').toUpperCase(),
    secretAccessKey: randomBytes(20).toString('hex'),
  }))
  const identities = keyed.map(({ section, id, name, email, accessKeyId, secretAccessKey }) => ({
    name: section.replaceAll(' ', '-'),
    id,
    displayName: name,
    email,
    accessKeyId,
    secretAccessKey,
  }))
  return {
    identities: JSON.stringify({ identities }),
    keyring: JSON.stringify({ master: newKey(), keys: { 'testkey-1': newKey(), 'testkey-2': newKey() } }),
    conf: (port) =>
      [
        '[DEFAULT]',
        'host = localhost',
        `port = ${port}`,
        'is_secure = False',
        'ssl_verify = False',
        '[fixtures]',
        'bucket prefix = varve-{random}-',
        'iam name prefix = s3-tests-',
        'iam path prefix = /s3-tests/',
        ...keyed.flatMap(({ section, id, name, email, accessKeyId, secretAccessKey, more }) => [
          `[${section}]`,
          `display_name = ${name}`,
          `user_id = ${id}`,
          `email = ${email}`,
          `access_key = ${accessKeyId}`,
          `secret_key = ${secretAccessKey}`,
          ...(more === undefined ? [] : [more]),
        ]),
        '',
      ].join('\n'),
  }
}
