/** Settings that a person writes as a document: what they do, an example, and what is wrong before the server looks. */

import { InvalidXml, readXml } from '../s3/xml.ts'

export type DocumentKind = 'lifecycle' | 'cors' | 'policy'

export interface DocumentSettingText {
  readonly title: string
  readonly about: string
  readonly example: (bucket: string) => string
  readonly problemOf: (text: string) => string | undefined
}

export const documentSettings: Readonly<Record<DocumentKind, DocumentSettingText>> = {
  lifecycle: {
    title: 'Lifecycle',
    about: 'Rules that delete objects and older versions by their age, and abort uploads that were not completed.',
    example: () => `<LifecycleConfiguration>
  <Rule>
    <ID>clean-up</ID>
    <Status>Enabled</Status>
    <Filter><Prefix>tmp/</Prefix></Filter>
    <Expiration><Days>30</Days></Expiration>
    <NoncurrentVersionExpiration><NoncurrentDays>30</NoncurrentDays></NoncurrentVersionExpiration>
    <AbortIncompleteMultipartUpload><DaysAfterInitiation>7</DaysAfterInitiation></AbortIncompleteMultipartUpload>
  </Rule>
</LifecycleConfiguration>`,
    problemOf: (text) => problemOfXml(text, 'LifecycleConfiguration'),
  },
  cors: {
    title: 'Cross-origin requests (CORS)',
    about: 'Which web pages of other origins may use the bucket.',
    example: () => `<CORSConfiguration>
  <CORSRule>
    <AllowedOrigin>https://example.com</AllowedOrigin>
    <AllowedMethod>GET</AllowedMethod>
    <AllowedHeader>*</AllowedHeader>
    <MaxAgeSeconds>3600</MaxAgeSeconds>
  </CORSRule>
</CORSConfiguration>`,
    problemOf: (text) => problemOfXml(text, 'CORSConfiguration'),
  },
  policy: {
    title: 'Policy',
    about: 'Who else may use the bucket, and what is forbidden.',
    example: (bucket) =>
      JSON.stringify(
        {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Principal: '*',
              Action: 's3:GetObject',
              Resource: `arn:aws:s3:::${bucket}/public/*`,
            },
          ],
        },
        undefined,
        2,
      ),
    problemOf: problemOfJson,
  },
}

function problemOfXml(text: string, rootName: string): string | undefined {
  try {
    const root = readXml(text.trim())
    return root.name === rootName ? undefined : `The document must be <${rootName}>, not <${root.name}>.`
  } catch (error) {
    if (error instanceof InvalidXml) return 'This is not XML: a tag is open, or closed twice.'
    throw error
  }
}

function problemOfJson(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `This is not JSON. ${error instanceof Error ? error.message : ''}`
  }
}

/** One line for each element, so that a person can read what the server wrote without any white space. */
export function indentedDocument(text: string): string {
  if (text.trimStart().startsWith('{')) return indentedJson(text)
  let depth = 0
  return text
    .replace(/^<\?xml[^>]*\?>\s*/, '')
    .replace(/>\s*</g, '>\n<')
    .split('\n')
    .map((line) => {
      if (line.startsWith('</')) depth--
      const indented = '  '.repeat(Math.max(0, depth)) + line
      if (/^<[^/?!]/.test(line) && !line.includes('</') && !line.endsWith('/>')) depth++
      return indented
    })
    .join('\n')
}

function indentedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
