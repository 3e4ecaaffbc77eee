#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Debian's pmcd and pmdaopenmetrics on the card read knc-pmuctl serve: the same numbers as in the
server's own answer. Prints a line for each test.

    pcp.py ROOT     ROOT: the unpacked packages, with etc/ld.so.cache
"""

import http.client
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '../../lib'))
# pylint: disable=wrong-import-position
import checks
from checks import test as check, until

ROOT = sys.argv[1]
SAMPLE = re.compile(r'(knc_pmu_\w+)(?:\{(.*)\})? (\S+)')
WORK = '/dev/shm/pcp'
SOCKET = WORK + '/run/pmcd.socket'
# the prefix that pmdaopenmetrics makes of knc.url
PREFIX = 'openmetrics.knc.'
ONLINE = '/sys/devices/system/cpu/cpu3/online'


def configure():
    """Write what the packages have in /etc, with directories of this test; no agents but the one"""
    for name in ('run', 'var/config/pmda', 'log', 'tmp', 'conf'):
        os.makedirs(f'{WORK}/{name}')
    shutil.copy(os.path.join(checks.REPO, 'tools/pcp/knc.url'), WORK + '/conf')
    own = {'PCP_BINADM_DIR': ROOT + '/usr/lib/pcp/bin', 'PCP_PMDAS_DIR': ROOT + '/usr/lib/pcp/pmdas', 'PCP_USER': 'root', 'PCP_GROUP': 'root',
           **{f'PCP_{name.upper()}_DIR': f'{WORK}/{name}' for name in ('run', 'var', 'log', 'tmp')}}
    with open(ROOT + '/etc/pcp.conf', encoding='utf-8') as f:
        text = re.sub(r'^(\w+)=(.*)$', lambda m: f'{m[1]}={own.get(m[1], m[2])}', f.read(), flags=re.M)
    for name, content in (
            ('pcp.conf', text), ('names', 'root {\n\topenmetrics\t144:*:*\n}\n'),
            ('pmcd.conf', f'openmetrics 144 pipe binary notready /usr/bin/python3 {own["PCP_PMDAS_DIR"]}/openmetrics/pmdaopenmetrics.python -c {WORK}/conf\n')):
        with open(f'{WORK}/{name}', 'w', encoding='utf-8') as f:
            f.write(content)
    # ctypes finds libraries by this file only
    subprocess.run(['mount', '--bind', ROOT + '/etc/ld.so.cache', '/etc/ld.so.cache'], check=True)
    os.environ['PCP_CONF'] = WORK + '/pcp.conf'
    os.environ['PYTHONPATH'] = ROOT + '/usr/lib/python3/dist-packages'


def scrape():
    """{(metric, {label: value} sorted): value}, as the server writes them"""
    connection = http.client.HTTPConnection('127.0.0.1', 9477)
    connection.request('GET', '/metrics')
    found = {}
    for m in map(SAMPLE.fullmatch, connection.getresponse().read().decode().splitlines()):
        if m:
            found[m[1], tuple(sorted(re.findall(r'(\w+)="([^"]*)"', m[2] or '')))] = float(m[3]) if '.' in m[3] else int(m[3])
    return found


def pminfo(*options):
    """What PCP's own client says of the server's metrics; '' before pmdaopenmetrics is ready"""
    return subprocess.run([ROOT + '/usr/bin/pminfo', '-h', 'unix:' + SOCKET, *options, PREFIX[:-1]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False).stdout


def fetch():
    """As scrape(), from pminfo"""
    found = {}
    for name, text in re.findall(r'^' + re.escape(PREFIX) + r'(\w+)\n((?: +.*\n)*)', pminfo('-f'), re.M):
        # inst [3 or "3 card:mic0 cpu:1"] value 5; the number is PCP's own
        for labels, value in re.findall(r'^ +(?:inst \[\d+ or "\d+ (.*)"\] )?value (\S+)$', text, re.M):
            key = tuple(sorted(tuple(label.split(':', 1)) for label in labels.split()))
            found[name, key] = float(value) if '.' in value else int(value)
    return found


def same(name):
    """A test that both have the same counts of the same reading; the counts"""
    def both():
        # the reading is made for pmdaopenmetrics, and stays for a second
        time.sleep(1.1)
        here, there = fetch(), scrape()
        readings = ('knc_pmu_readings_total', ())
        return (here, there) if here.get(readings) == there[readings] else None

    here, there = until(both) or ({}, scrape())
    check(name, here == there, f'{sorted(set(here.items()) ^ set(there.items()))[:8]}')
    return here


def cpus(counts):
    """The hardware threads that have a count of instructions"""
    return sorted(dict(labels)['cpu'] for name, labels in counts if name == 'knc_pmu_events_total' and ('event', 'INSTRUCTIONS_EXECUTED') in labels)


def switch(on):
    """CPU 3 goes, or comes"""
    with open(ONLINE, 'w', encoding='ascii') as f:
        f.write('1' if on else '0')


def compare():
    """All counts, and those of a hardware thread that is absent for a while"""
    counts = same('pcp.same')
    check('pcp.threads', cpus(counts) == ['0', '1', '2', '3'], counts)
    types = re.findall(r'^' + re.escape(PREFIX) + r'(\w+)\n +Data Type: (.*?) +InDom.*\n +Semantics: (\w+)', pminfo('-d'), re.M)
    check('pcp.types', sorted(types) == [('knc_pmu_counted_seconds_total', 'double', 'counter'), ('knc_pmu_events_total', '64-bit unsigned int', 'counter'),
                                         ('knc_pmu_lost', 'double', 'instant'), ('knc_pmu_missing_seconds_total', 'double', 'counter'),
                                         ('knc_pmu_readings_total', '64-bit unsigned int', 'counter')], types)
    switch(False)
    counts = same('pcp.offline')
    check('pcp.offline.absent', cpus(counts) == ['0', '1', '2'], counts)
    switch(True)
    counts = same('pcp.online')
    check('pcp.online.threads', cpus(counts) == ['0', '1', '2', '3'], counts)


def main():
    """The exit status"""
    configure()
    with subprocess.Popen([os.environ['KNC_PMUCTL'], 'serve', '--card', 'mic0'], stdout=subprocess.PIPE, text=True) as server:
        check('pcp.begun', server.stdout.readline() == 'counting; the counts are at 127.0.0.1:9477/metrics\n')
        # -q and -t: Python takes longer to start on a card than pmcd waits
        with subprocess.Popen([ROOT + '/usr/lib/pcp/bin/pmcd', '-f', '-A', '-U', 'root', '-i', '127.0.0.1', '-s', SOCKET, '-q', '300', '-t', '300',
                               '-c', WORK + '/pmcd.conf', '-n', WORK + '/names', '-l', WORK + '/log/pmcd.log']) as pmcd:
            if until(pminfo):
                compare()
            else:
                with open(WORK + '/log/pmcd.log', encoding='utf-8') as f:
                    check('pcp.ready', False, f.read())
            pmcd.terminate()
        server.terminate()
    return checks.end()


sys.exit(main())
