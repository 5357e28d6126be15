import { describe, expect, it } from 'vitest'
import { tlsSettings } from './tls-settings.ts'

const address = 'postgres://varve@db.example.com/varve'
const withAddress = (query: string, env = {}) => tlsSettings({ connectionString: `${address}?${query}` }, env)
const InvalidArgument = expect.objectContaining({ code: 'InvalidArgument' })

describe('TLS of a connection', () => {
  it.each([
    ['', false],
    ['sslmode=disable', false],
    ['ssl=0', false],
    ['ssl=false', false],
    ['sslmode=verify-full', true],
    ['sslmode=verify-ca', true],
    ['sslmode=require', true],
    ['ssl=true', true],
    ['ssl=1', true],
    ['sslrootcert=/ca', true],
    ['sslnegotiation=direct', true],
    ['sslnegotiation=postgres', false],
  ])('is used or not, and always verified: %s', (query, isUsed) => {
    expect(withAddress(query)).toMatchObject({ ssl: isUsed, connectionString: expect.not.stringContaining('ssl') })
    expect(withAddress(query).files !== undefined).toBe(isUsed)
  })

  it.each([
    'sslmode=no-verify',
    'sslmode=prefer',
    'sslmode=allow',
    'sslmode=verify_full',
    'sslmode=',
    'ssl=no-verify',
    'ssl=yes',
    'uselibpqcompat=true&sslmode=require',
    'uselibpqcompat=false',
    'sslcrl=/list',
    'sslpassword=secret-text',
    'sslmode=verify-full&sslmode=disable',
    'ssl=true&sslmode=disable',
    'sslnegotiation=fast',
    'sslcert=/cert',
    'sslmode=require&sslkey=/key',
    'requiressl=1',
  ])('is not what the parameters of an address say: %s', (query) => {
    expect(() => withAddress(query)).toThrow(InvalidArgument)
    expect(() => withAddress(query)).not.toThrow(/secret-text|db\.example/)
  })

  it('has the files of the address, then those of the environment', () => {
    const files = 'sslrootcert=%2Fa%20b&sslcert=/c&sslkey=/k'
    const env = { PGSSLROOTCERT: '/e', PGSSLCERT: '/ec', PGSSLKEY: '/ek' }
    const all = { sslrootcert: '/a b', sslcert: '/c', sslkey: '/k' }
    expect(withAddress(files, env).files).toEqual(all)
    expect(withAddress('sslmode=require', env).files).toEqual({ sslrootcert: '/e', sslcert: '/ec', sslkey: '/ek' })
    expect(withAddress('sslmode=require&sslrootcert=system').files).toEqual({})
    expect(withAddress('', env).files).toBeUndefined()
  })

  it('is that of PGSSLMODE if nothing else says it', () => {
    expect(tlsSettings({}, { PGSSLMODE: 'require' })).toEqual({ ssl: true, files: {} })
    expect(withAddress('sslmode=disable', { PGSSLMODE: 'require' }).ssl).toBe(false)
    expect(withAddress('sslrootcert=/ca', { PGSSLMODE: 'disable' }).ssl).toBe(true)
    expect(tlsSettings({ ssl: true }, { PGSSLMODE: 'no-verify' })).toEqual({ ssl: true })
    for (const mode of ['no-verify', 'prefer', 'allow'])
      expect(() => tlsSettings({}, { PGSSLMODE: mode })).toThrow(InvalidArgument)
  })

  it('is said by the address or by the option ssl, and not by both', () => {
    const ssl = { ca: 'text', rejectUnauthorized: false }
    expect(tlsSettings({ connectionString: address, ssl }, {})).toEqual({ ssl })
    for (const query of ['sslmode=verify-full', 'sslmode=disable', 'sslrootcert=/ca'])
      expect(() => tlsSettings({ connectionString: `${address}?${query}`, ssl }, {})).toThrow(InvalidArgument)
    for (const wrong of ['true', 'no-verify', 1, null])
      expect(() => tlsSettings({ ssl: wrong }, {})).toThrow(InvalidArgument)
    for (const name of ['sslmode', 'sslrootcert', 'uselibpqcompat'])
      expect(() => tlsSettings({ [name]: 'verify-full' }, {})).toThrow(InvalidArgument)
  })

  it('leaves the rest of the address as it is', () => {
    const settings = withAddress('host=%2Frun&sslmode=require&options=-c%20a+b')
    expect(settings.connectionString).toBe(`${address}?host=%2Frun&options=-c%20a+b`)
    for (const same of ['/run/postgres varve', 'postgres:///varve?host=/run', address, 'postgres://u:p%3F%23@h/d'])
      expect(tlsSettings({ connectionString: same }, {})).toEqual({ ssl: false, connectionString: same })
    const sslnegotiation = 'direct'
    expect(withAddress('sslnegotiation=direct')).toEqual({
      ssl: true,
      files: {},
      connectionString: address,
      sslnegotiation,
    })
  })
})
