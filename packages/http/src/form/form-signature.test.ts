import { describe, expect, it } from 'vitest'
import { alice } from '../signed-request.fixture.ts'
import { signedV2, signedV4 } from './form.fixture.ts'
import type { Field } from './form.fixture.ts'
import { verifyForm, versionOf } from './form-signature.ts'

const signers = {
  regions: ['eu'] as const,
  credentials: (id: string) => (id === alice.accessKeyId ? alice : undefined),
}
const fieldsOf = (fields: readonly Field[]) => new Map(fields.map(([name, value]) => [name.toLowerCase(), value]))
const without = (fields: readonly Field[], ...names: readonly string[]) =>
  fieldsOf(fields.filter(([name]) => !names.includes(name)))
const withField = (fields: readonly Field[], name: string, value: string) =>
  new Map([...fieldsOf(fields), [name.toLowerCase(), value]])
const both = [
  ['V4', signedV4([])],
  ['V2', signedV2([])],
] as const

describe('the signature of a form', () => {
  it.each(both)('identifies its signer by %s', (_, fields) => {
    expect(verifyForm(fieldsOf(fields), signers)).toBe(alice)
  })

  it('is that of the example S3 documents', () => {
    const policy =
      'eyAiZXhwaXJhdGlvbiI6ICIyMDE1LTEyLTMwVDEyOjAwOjAwLjAwMFoiLA0KICAiY29uZGl0aW9ucyI6IFsNCiAgICB7ImJ1Y2tldCI6ICJzaWd2NGV4YW1wbGVidWNrZXQifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRrZXkiLCAidXNlci91c2VyMS8iXSwNCiAgICB7ImFjbCI6ICJwdWJsaWMtcmVhZCJ9LA0KICAgIHsic3VjY2Vzc19hY3Rpb25fcmVkaXJlY3QiOiAiaHR0cDovL3NpZ3Y0ZXhhbXBsZWJ1Y2tldC5zMy5hbWF6b25hd3MuY29tL3N1Y2Nlc3NmdWxfdXBsb2FkLmh0bWwifSwNCiAgICBbInN0YXJ0cy13aXRoIiwgIiRDb250ZW50LVR5cGUiLCAiaW1hZ2UvIl0sDQogICAgeyJ4LWFtei1tZXRhLXV1aWQiOiAiMTQzNjUxMjM2NTEyNzQifSwNCiAgICB7IngtYW16LXNlcnZlci1zaWRlLWVuY3J5cHRpb24iOiAiQUVTMjU2In0sDQogICAgWyJzdGFydHMtd2l0aCIsICIkeC1hbXotbWV0YS10YWciLCAiIl0sDQoNCiAgICB7IngtYW16LWNyZWRlbnRpYWwiOiAiQUtJQUlPU0ZPRE5ON0VYQU1QTEUvMjAxNTEyMjkvdXMtZWFzdC0xL3MzL2F3czRfcmVxdWVzdCJ9LA0KICAgIHsieC1hbXotYWxnb3JpdGhtIjogIkFXUzQtSE1BQy1TSEEyNTYifSwNCiAgICB7IngtYW16LWRhdGUiOiAiMjAxNTEyMjlUMDAwMDAwWiIgfQ0KICBdDQp9'
    const example = { secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
    const fields = fieldsOf([
      ['X-Amz-Credential', 'AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request'],
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
      ['X-Amz-Date', '20151229T000000Z'],
      ['Policy', policy],
      ['X-Amz-Signature', '8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628749a66d7f09699e'],
    ])
    expect(verifyForm(fields, { regions: 'any', credentials: () => example })).toBe(example)
  })

  it('is absent without a field for it, whatever the policy contains', () => {
    expect(
      verifyForm(
        fieldsOf([
          ['key', 'k'],
          ['policy', 'e30='],
        ]),
        signers,
      ),
    ).toBeUndefined()
  })

  it.each([
    ['X-Amz-Algorithm', without(signedV4([]), 'x-amz-algorithm', 'x-amz-credential')],
    ['X-Amz-Date', without(signedV4([]), 'x-amz-date')],
    ['X-Amz-Signature', without(signedV4([]), 'x-amz-signature')],
    ['AWSAccessKeyId', without(signedV2([]), 'AWSAccessKeyId')],
    ['Signature', without(signedV2([]), 'signature')],
    ['policy', without(signedV2([]), 'policy')],
  ])('needs the field %s', (name, fields) => {
    expect(() => verifyForm(fields, signers)).toThrow(
      expect.objectContaining({
        code: 'InvalidArgument',
        message: `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`,
        details: { ArgumentName: name, ArgumentValue: '' },
      }),
    )
  })

  it.each([
    ['x-amz-algorithm', 'AWS4-ECDSA-P256-SHA256'],
    ['x-amz-credential', 'ALICE/20260101/eu/s3'],
    ['x-amz-credential', 'ALICE/20260101/elsewhere/s3/aws4_request'],
    ['x-amz-credential', 'ALICE/20260102/eu/s3/aws4_request'],
    ['x-amz-date', '2026-01-01'],
  ])('is refused with %s: %s', (name, value) => {
    expect(() => verifyForm(withField(signedV4([]), name, value), signers)).toThrow(
      expect.objectContaining({ code: 'InvalidArgument' }),
    )
  })

  it.each([
    ['V4', 'x-amz-signature', '0'.repeat(64)],
    ['V4', 'x-amz-signature', 'nonsense'],
    ['V2', 'signature', Buffer.alloc(20).toString('base64')],
    ['V2', 'signature', ''],
  ] as const)('of %s is refused with what was signed when a field differs: %s %s', (version, name, value) => {
    const fields = withField(version === 'V4' ? signedV4([]) : signedV2([]), name, value)
    const policy = fields.get('policy') ?? ''
    expect(() => verifyForm(fields, signers)).toThrow(
      expect.objectContaining({
        code: 'SignatureDoesNotMatch',
        details: {
          AWSAccessKeyId: 'ALICE',
          StringToSign: policy,
          SignatureProvided: value,
          StringToSignBytes: [...Buffer.from(policy)].map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
        },
      }),
    )
  })

  it.each(both)('by %s is of this policy alone', (_, fields) => {
    expect(() => verifyForm(withField(fields, 'policy', 'e30='), signers)).toThrow(
      expect.objectContaining({ code: 'SignatureDoesNotMatch' }),
    )
  })

  it.each([
    ['x-amz-date', '20260101T120000Z'],
    ['x-amz-algorithm', 'AWS4-HMAC-SHA256'],
    ['x-amz-credential', 'ALICE/20260101/eu/s3/aws4_request'],
  ])('by V2 is of V2 with the field %s too', (name, value) => {
    const fields = withField(signedV2([]), name, value)
    expect(verifyForm(fields, signers)).toMatchObject({ secretAccessKey: alice.secretAccessKey })
    expect(versionOf(fields)).toBe('AWS')
  })

  it('by V4 is of V4 with the access key of V2 too', () => {
    const fields = withField(signedV4([]), 'awsaccesskeyid', 'OTHER')
    expect(verifyForm(fields, signers)).toMatchObject({ secretAccessKey: alice.secretAccessKey })
    expect(versionOf(fields)).toBe('AWS4-HMAC-SHA256')
  })

  it('with an unknown access key is refused with InvalidAccessKeyId', () => {
    const anonymous = { ...signers, credentials: () => undefined }
    for (const [, fields] of both) {
      expect(() => verifyForm(fieldsOf(fields), anonymous)).toThrow(
        expect.objectContaining({ code: 'InvalidAccessKeyId', details: { AWSAccessKeyId: 'ALICE' } }),
      )
    }
  })

  it('needs the token of a key that has one, and no other', () => {
    const temporary = { secretAccessKey: alice.secretAccessKey, sessionToken: 'token' }
    const temporaryKeys = { ...signers, credentials: () => temporary }
    for (const [, fields] of both) {
      expect(verifyForm(withField(fields, 'x-amz-security-token', 'token'), temporaryKeys)).toBe(temporary)
      for (const wrong of [fieldsOf(fields), withField(fields, 'x-amz-security-token', 'other')]) {
        expect(() => verifyForm(wrong, temporaryKeys)).toThrow(expect.objectContaining({ code: 'InvalidToken' }))
      }
      expect(() => verifyForm(withField(fields, 'x-amz-security-token', 'token'), signers)).toThrow(
        expect.objectContaining({ code: 'InvalidToken' }),
      )
    }
  })
})
