import type { Translation } from '../../text/translation.js';
import type { trustWords as English } from '../trust.js';

export const trustWords: Translation<typeof English> = {
  title: 'Vertrauenswürdige Schlüssel',
  own: 'Das eigene Manifest dieses Dienstes',
  ownHint:
    'Es stammt von dem Dienst, der nachgeprüft wird. Um sich auf das Ergebnis zu verlassen, wählen Sie ein Manifest, das Sie auf einem anderen Weg erhalten haben.',
  file: 'Eigenes Vertrauensmanifest wählen',
  tooLarge: 'Diese Datei ist zu groß für ein Vertrauensmanifest.',
  of: (keys, issuer) => `${keys} Schlüssel von ${issuer}`,
  policy: 'Zeugenregel',
  policyHint:
    'Die Zeugen, die den Nachweis signiert haben müssen, in der Form von c2sp.org/tlog-policy.',
};
