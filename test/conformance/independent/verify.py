#!/usr/bin/env python3
"""Verifies a ledger and one receipt with nothing of Countersign: Python's standard library and openssl.

    verify.py chain LEDGER.json TRUST.json [CHECKPOINT.json]
    verify.py receipt RECEIPT.json PROOF.json TRUST.json
    verify.py record TRUST.json RECORD.json...

Prints what it found; exit code 0 when all of it holds, 1 when something does not, 2 when it could not be used.

chain: LEDGER.json is a LedgerPage or several pages put together, from entry 1 on. Every head is recomputed from the
bytes, every record that is still there is digested and its signature verified; with CHECKPOINT.json, a copy out of the
anchor store, the chain has to pass through it.

receipt: RECEIPT.json is a signed record, PROOF.json its AnchorProof; the way from the receipt to the checkpoint is
recomputed and both signatures are verified.

record: whether each record's signature is good under a key that may sign its type. By itself that proves only that
somebody had the key.
"""

import base64
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile


class Refused(Exception):
    """What does not hold, in one sentence."""


def need(condition, sentence):
    if not condition:
        raise Refused(sentence)


# The canonical form (RFC 8785) ------------------------------------------------------------------------------------

ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def canonical_string(text):
    letters = []
    for letter in text:
        need(not 0xD800 <= ord(letter) <= 0xDFFF, "a surrogate stands without its partner")
        if letter in ESCAPES:
            letters.append(ESCAPES[letter])
        elif ord(letter) < 0x20:
            letters.append("\\u%04x" % ord(letter))
        else:
            letters.append(letter)
    return '"%s"' % "".join(letters)


def canonical_number(number):
    """As ECMAScript writes it: Python's repr has the same digits, in other clothes."""
    if isinstance(number, int):
        need(abs(number) <= 9007199254740991, "an integer is out of range")
        return str(number)
    need(math.isfinite(number), "a number is not finite")
    if number == 0:
        return "0"
    sign = "-" if number < 0 else ""
    digits, _, exponent = ("%r" % abs(number)).partition("e")
    whole, _, fraction = digits.partition(".")
    if fraction == "0":
        fraction = ""
    point = len(whole) + int(exponent or 0)
    figures = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(figures)
    figures = figures.rstrip("0")
    count = len(figures)
    if count <= point <= 21:
        return sign + figures + "0" * (point - count)
    if 0 < point <= 21:
        return sign + figures[:point] + "." + figures[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + figures
    power = point - 1
    mantissa = figures[0] + ("." + figures[1:] if count > 1 else "")
    return "%s%se%s%d" % (sign, mantissa, "+" if power > 0 else "-", abs(power))


def canonical(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return canonical_string(value)
    if isinstance(value, (int, float)):
        return canonical_number(value)
    if isinstance(value, list):
        return "[%s]" % ",".join(canonical(item) for item in value)
    # Keys are sorted by UTF-16 code units, which differs from Python's order beyond U+FFFF.
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{%s}" % ",".join("%s:%s" % (canonical_string(key), canonical(value[key])) for key in keys)


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def without_twins(pairs):
    members = dict(pairs)
    need(len(members) == len(pairs), "an object holds the same key twice")
    return members


def parsed(text):
    return json.loads(text, object_pairs_hook=without_twins)


def read(path):
    with open(path, "rb") as file:
        return parsed(file.read().decode("utf-8"))


# What the key of a service signs (protocol R36) ----------------------------------------------------------------------

SIGNED_BY = {
    "gateway": (),
    "request": (
        "RequestChangedEvent", "MaterialDiscarded", "BundleRegistered", "PrincipalConfigured", "RouteConfigured",
        "RoutePolicyConfigured", "MembershipConfigured", "ApprovalEnded", "CredentialBound", "CredentialEnded",
        "LegalHoldSet", "LegalHoldLifted",
    ),
    "review": ("DecisionReceipt", "RequestChangedEvent", "ApprovalRecord", "ApprovalEnded"),
    "execution-authority": (
        "ExecutionClaim", "AdmissionStatus", "ExecutionOutcome", "ExecutionReconciliation", "RequestChangedEvent",
    ),
    "ledger": ("AuditCheckpoint", "RequestChangedEvent"),
    "notifier": ("WebhookDelivery", "RequestChangedEvent"),
}


def may_sign(key_id, record_type):
    """A key id that begins with a service's name and a hyphen is that service's; any other key signs any type."""
    return all(record_type in types for service, types in SIGNED_BY.items() if key_id.startswith(service + "-"))


# Signatures --------------------------------------------------------------------------------------------------------


def verify_signature(record, trust):
    """Protocol §2.3, §2.4 and R36: key by its id, its type, its window, Ed25519 over the record without its signature."""
    header = record["protected"]
    need(header["issuer"] == trust["issuer"], "a record is of another issuer")
    keys = [key for key in trust["keys"] if key["key_id"] == header["key_id"]]
    need(len(keys) == 1, "the manifest does not list the key %s once" % header["key_id"])
    need(may_sign(header["key_id"], header["type"]), "the key %s may not sign a %s" % (header["key_id"], header["type"]))
    key = keys[0]
    # All times here are UTC with three digits, so their texts have the order of time.
    issued = header["issued_at"]
    need(len(issued) == 24 and issued.endswith("Z"), "a time is written otherwise")
    need(key["not_before"] <= issued < key["not_after"], "a record was issued outside the window of its key")
    need("revoked_at" not in key or issued < key["revoked_at"], "a record was issued after its key was revoked")
    signature = record["signature"]
    raw = base64.urlsafe_b64decode(signature + "==")
    need(len(signature) == 86 and len(raw) == 64, "a signature is not 86 letters")
    need(base64.urlsafe_b64encode(raw).decode().rstrip("=") == signature, "a signature is spelled otherwise")
    preimage = canonical({"payload": record["payload"], "protected": header})
    need(openssl_verifies(key["public_key"], preimage.encode("utf-8"), raw), "a signature is wrong")


def openssl_verifies(public_pem, message, signature):
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for name, content in (("key", public_pem.encode()), ("message", message), ("signature", signature)):
            paths[name] = os.path.join(folder, name)
            with open(paths[name], "wb") as file:
                file.write(content)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", paths["key"], "-rawin"]
        command += ["-in", paths["message"], "-sigfile", paths["signature"]]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


# The chain ---------------------------------------------------------------------------------------------------------


def head_of(previous, record_digest, sequence):
    return digest(canonical({"previous": previous, "record_digest": record_digest, "sequence": sequence}))


def check_chain(entries, trust, checkpoint):
    previous, heads, signatures = "", {}, 0
    for sequence, entry in enumerate(entries, 1):
        where = "entry %d: " % sequence
        need(entry["sequence"] == str(sequence), where + "it has another number")
        need(entry["previous_head"] == previous, where + "it does not continue the chain")
        text = entry["record"]
        if text is not None:
            need(digest(text) == entry["record_digest"], where + "its record has another digest")
            record = parsed(text)
            need(canonical(record) == text, where + "its record is not in canonical form")
            need(record["protected"]["tenant"] == entry["tenant"], where + "its record is of another tenant")
            verify_signature(record, trust)
            signatures += 1
        need(head_of(previous, entry["record_digest"], sequence) == entry["head"], where + "its head is wrong")
        previous = heads[sequence] = entry["head"]
    print("chain: %d entries, %d signatures, head %s" % (len(entries), signatures, previous))
    if checkpoint is not None:
        check_checkpoint(checkpoint, trust)
        payload = checkpoint["payload"]
        need(heads.get(payload["sequence"]) == payload["head"], "the chain does not pass through the checkpoint")
        print("checkpoint: the chain passes through it at entry %d" % payload["sequence"])


def check_checkpoint(checkpoint, trust):
    verify_signature(checkpoint, trust)
    header = checkpoint["protected"]
    need(header["type"] == "AuditCheckpoint", "the checkpoint is another record")
    need(header["audience"] == "proto.audit" and header["purpose"] == "service", "the checkpoint is for others")
    need(header["tenant"] == checkpoint["payload"]["ledger_id"], "the checkpoint names two ledgers")


def check_receipt(receipt, proof, trust):
    verify_signature(receipt, trust)
    need(receipt["protected"]["type"] == "DecisionReceipt", "this is no receipt")
    need(receipt["payload"]["confirmed_at"] == receipt["protected"]["issued_at"], "the receipt tells two times")
    check_checkpoint(proof["checkpoint"], trust)
    nodes = proof["proof"]
    need(len(nodes) > 0 and nodes[0]["record_digest"] == digest(canonical(receipt)), "the proof is of another record")
    for before, node in zip([None] + nodes, nodes):
        if before is not None:
            need(node["sequence"] == before["sequence"] + 1, "a node is missing")
            need(node["previous_head"] == before["head"], "a node does not continue the one before")
        head = head_of(node["previous_head"], node["record_digest"], node["sequence"])
        need(head == node["head"], "the head of node %d is wrong" % node["sequence"])
    payload = proof["checkpoint"]["payload"]
    last = nodes[-1]
    need((last["head"], last["sequence"]) == (payload["head"], payload["sequence"]), "the proof ends elsewhere")
    need(proof["acceptance"]["digest"] == digest(canonical(proof["checkpoint"])), "the acceptance is of another checkpoint")
    said = receipt["payload"]
    print("receipt: %s decided %s at %s, proven up to entry %d" % (
        said["reviewer"], said["decision"], said["confirmed_at"], payload["sequence"]))


def check_records(paths, trust):
    refused = 0
    for path in paths:
        try:
            verify_signature(read(path), trust)
            print("record: %s is signed by its key" % path)
        except Refused as refusal:
            refused += 1
            print("FAILS: %s: %s" % (path, refusal))
    need(refused == 0, "%d of %d records" % (refused, len(paths)))


def main(arguments):
    if len(arguments) in (3, 4) and arguments[0] == "chain":
        check_chain(read(arguments[1]), read(arguments[2]), read(arguments[3]) if len(arguments) == 4 else None)
    elif len(arguments) == 4 and arguments[0] == "receipt":
        check_receipt(read(arguments[1]), read(arguments[2]), read(arguments[3]))
    elif len(arguments) >= 3 and arguments[0] == "record":
        check_records(arguments[2:], read(arguments[1]))
    else:
        print(__doc__, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Refused as refusal:
        print("FAILS: %s" % refusal)
        sys.exit(1)
    except (KeyError, TypeError, ValueError, AttributeError) as fault:
        print("FAILS: it does not have the shape of such a document (%s)" % type(fault).__name__)
        sys.exit(1)
    except OSError as fault:
        print(fault, file=sys.stderr)
        sys.exit(2)
