// SPDX-License-Identifier: GPL-2.0-or-later
// Values of Qt; ustap.process/summaries_qt.stp says what they are.
#include <QByteArray>
#include <QList>
#include <QString>
#include <QVector>

extern "C" __attribute__((noinline)) long shown(const QString &s, const QByteArray &b,
						const QList<int> &l, const QVector<double> &v,
						const QList<QString> &t)
{
	return s.size() + b.size() + l.size() + v.size() + t.size();
}

int main()
{
	return shown(QString::fromUtf8("caf\xc3\xa9"), QByteArray("bytes"), {1, 2}, {1.5, 2.5},
		     {"p", "q"}) == 0;
}
